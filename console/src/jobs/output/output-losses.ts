import type { Schemas } from '../../api/client.ts';

/** How kept output compares with its record: the members of a result, and of the end of a followed log. */
export type KeptStates = Partial<
  Pick<Schemas['JobResult'], 'stdout_state' | 'stderr_state' | 'receipt_state' | 'attachments_state'>
>;

const WORDS = {
  missing: 'is missing',
  truncated: 'is incomplete: its end is missing',
  corrupt: 'is not what was recorded',
} as const;

const SUBJECTS = {
  stdout_state: 'stdout',
  stderr_state: 'stderr',
  attachments_state: 'The list of attachments',
} as const;

/** A sentence for each part of kept output that is not as it was recorded. */
export function outputLosses(states: KeptStates): string[] {
  const losses = Object.entries(SUBJECTS).flatMap(([member, subject]) => {
    const state = states[member as keyof typeof SUBJECTS];
    return state === undefined || state === 'complete' ? [] : [`${subject} ${WORDS[state]}.`];
  });
  const { receipt_state: receipt } = states;
  if (receipt === 'corrupt') return ['The record of the attempt can not be read.', ...losses];
  return receipt === 'missing' ? ['The record of the attempt is missing.', ...losses] : losses;
}
