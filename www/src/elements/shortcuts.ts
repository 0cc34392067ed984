/** Single-letter keys. They are off inside fields and dialogs, and can be switched off. */

const SETTING = 'meshmark:letter-keys';

export function lettersOn(): boolean {
  try {
    return localStorage.getItem(SETTING) !== 'off';
  } catch {
    return true;
  }
}

export function setLetters(on: boolean): void {
  try {
    localStorage.setItem(SETTING, on ? 'on' : 'off');
  } catch {
    // Storage may be forbidden; the choice then lasts until the page is left.
  }
}

function writing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return target.isContentEditable || target.matches('textarea, select') || target.closest('dialog') !== null;
}

/** The key that a page should act on, or null. */
export function shortcut(event: KeyboardEvent): string | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || writing(event.target)) return null;
  if (event.key.length === 1 && !lettersOn() && event.key !== '?') return null;
  return event.key;
}
