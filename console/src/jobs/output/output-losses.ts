import type { Schemas } from '../../api/client.ts';

/** The integrity of stored output, in a result and at the end of a followed log. */
export type OutputStates = Partial<
  Pick<Schemas['JobResult'], 'stdout_state' | 'stderr_state' | 'receipt_state' | 'attachments_state'>
>;

const WORDS = {
  missing: 'is missing',
  truncated: 'is incomplete: its end is missing',
  corrupt: 'does not match its record',
} as const;

const SUBJECTS = {
  stdout_state: 'stdout',
  stderr_state: 'stderr',
  attachments_state: 'The list of attachments',
} as const;

/** A sentence for each part of the stored output that does not match its record. */
export function outputLosses(states: OutputStates): string[] {
  const losses = Object.entries(SUBJECTS).flatMap(([member, subject]) => {
    const state = states[member as keyof typeof SUBJECTS];
    return state === undefined || state === 'complete' ? [] : [`${subject} ${WORDS[state]}.`];
  });
  const { receipt_state: receipt } = states;
  if (receipt === 'corrupt') return ["The record of the attempt can't be read.", ...losses];
  return receipt === 'missing' ? ['The record of the attempt is missing.', ...losses] : losses;
}
