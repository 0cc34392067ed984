import { html, type TemplateResult } from 'lit';

/** Tabs that share one panel: Tab enters, arrows move and choose. */
export function tabList(name: string, tabs: readonly [string, string][], chosen: string, choose: (tab: string) => void): TemplateResult {
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = tabs.findIndex(([id]) => id === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    choose(next[0]);
    document.getElementById(`tab-${name}-${next[0]}`)?.focus();
  };
  return html`<div class="tabs" role="tablist" @keydown=${move}>
    ${tabs.map(
      ([id, title]) =>
        html`<button
          role="tab"
          id=${`tab-${name}-${id}`}
          aria-controls=${`panel-${name}`}
          aria-selected=${id === chosen}
          tabindex=${id === chosen ? 0 : -1}
          @click=${() => choose(id)}
        >
          ${title}
        </button>`,
    )}
  </div>`;
}
