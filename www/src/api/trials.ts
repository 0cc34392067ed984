/** Running a program again on the server that serves these pages. */
import { ownOrigin, request, RequestFailed } from './client';
import type { Measurement, Outcome } from './format';

export type State = 'queued' | 'running' | 'done' | 'cancelled' | 'interrupted';

/** A trial as the server tells it. */
export interface ServerTrial {
  id: string;
  state: State;
  stage: string | null;
  outcome: Outcome | null;
  measurements: Measurement[];
}

/** What to run. */
export interface Submission {
  program: { entry: string; files: Record<string, string> };
  task: { run: string; item: string } | null;
  views: string;
  protocol: string;
  measures: string[];
}

interface Accepted {
  id: string;
  events: string;
}

const EVENTS = ['queued', 'running', 'stage', 'done'] as const;
export type TrialEvent = (typeof EVENTS)[number];

/** Submits a trial and follows it to its end. Aborting the signal cancels it on the server too. */
export async function runTrial(
  api: string,
  submission: Submission,
  note: (event: TrialEvent, stage: string) => void,
  signal: AbortSignal,
): Promise<ServerTrial> {
  const response = await request(`${api}trials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(submission),
    signal,
  });
  const { id, events } = (await response.json()) as Accepted;
  try {
    await follow(events || `${api}trials/${encodeURIComponent(id)}/events`, note, signal);
  } catch (thrown) {
    if (signal.aborted) await request(`${api}trials/${encodeURIComponent(id)}`, { method: 'DELETE' }).catch(() => undefined);
    throw thrown;
  }
  return (await (await request(`${api}trials/${encodeURIComponent(id)}`, { signal })).json()) as ServerTrial;
}

/** Resolves when the server says `done`. */
function follow(url: string, note: (event: TrialEvent, stage: string) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const source = new EventSource(ownOrigin(url));
    const end = (settle: () => void): void => {
      source.close();
      settle();
    };
    for (const name of EVENTS) {
      source.addEventListener(name, (event: MessageEvent<string>) => {
        note(name, stageOf(event.data));
        if (name === 'done') end(resolve);
      });
    }
    source.addEventListener('error', () => {
      // The browser reconnects by itself unless the server refused.
      if (source.readyState === EventSource.CLOSED) {
        end(() => reject(new RequestFailed('The server stopped telling about this trial. Try again.', null)));
      }
    });
    signal.addEventListener('abort', () => end(() => reject(new RequestFailed('Cancelled.', null))), { once: true });
  });
}

function stageOf(data: string): string {
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value === 'object' && value !== null && 'stage' in value && typeof value.stage === 'string') return value.stage;
  } catch {
    // A note without JSON carries no stage.
  }
  return '';
}
