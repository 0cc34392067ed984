/** The words and marks for how a trial ended. */
import type { Attempt, FailureClass, Outcome, Status } from './api/format';

/** The three groups that pages count; `ours` is in no denominator. */
export type Group = 'executed' | 'model' | 'ours';

export type Mark = 'ok' | 'fail' | 'ours' | 'unk' | 'diff' | 'err';

export const GROUPS: Record<Group, { title: string; mark: Mark }> = {
  executed: { title: 'Executed', mark: 'ok' },
  model: { title: 'Model failure', mark: 'fail' },
  ours: { title: 'Ours, left out', mark: 'ours' },
};

const STATUSES: Record<Status, string> = {
  OK: 'Executed',
  ERR_PARSE: 'No program in the answer',
  ERR_EXEC: 'Exception',
  ERR_NO_MESH: 'No mesh',
  ERR_EXPORT: 'Export failed',
  ERR_TIMEOUT: 'Time limit',
  ERR_MEMORY: 'Memory limit',
  ERR_EXIT: 'Ended itself',
  ERR_RENDER: 'Render failed',
  OURS: 'Ours',
};

const CLASSES: Record<FailureClass, string> = {
  'B5-API': 'Changed in Blender 5.0',
  BMSH: 'bmesh in a wrong state',
  CTX: 'Operator in a wrong context',
  MODULE: 'Module isn’t there',
  OTHER: 'Other',
};

export function statusOf(outcome: Outcome): Status {
  return outcome.kind === 'ours' ? 'OURS' : outcome.status;
}

export function groupOf(outcome: Outcome): Group {
  const status = statusOf(outcome);
  if (status === 'OK') return 'executed';
  return status === 'OURS' ? 'ours' : 'model';
}

export const statusTitle = (status: Status): string => STATUSES[status];
export const classTitle = (name: FailureClass): string => CLASSES[name];

/** The group of a failed program, or null. */
export function classOf(outcome: Outcome): FailureClass | null {
  return outcome.kind === 'mesh' ? (outcome.failure_class ?? null) : null;
}

/** A few words under the group's name in a list: why it failed. */
export function reason(outcome: Outcome): string {
  if (outcome.kind === 'ours') return outcome.stage;
  if (outcome.status === 'OK') return '';
  return outcome.exception ? outcome.exception.type : statusTitle(outcome.status);
}

/** The value of the first measurement whose protocol begins so, or null. */
export function measured(attempt: Attempt, protocol: string): number | null {
  return attempt.measurements.find((m) => m.protocol.startsWith(protocol))?.value ?? null;
}

/** How many attempts ended in each group. */
export function tally(attempts: Iterable<Attempt>): Record<Group, number> {
  const counts = { executed: 0, model: 0, ours: 0 };
  for (const { outcome } of attempts) counts[groupOf(outcome)] += 1;
  return counts;
}
