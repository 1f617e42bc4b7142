import type { components } from './api-types.ts';

type States = Pick<
  components['schemas']['JobResult'],
  'stdout_state' | 'stderr_state' | 'receipt_state' | 'attachments_state'
>;

/** What is damaged, and what that means for its reader. */
const PARTS = {
  stdout: ['stdout', 'it is not what the job wrote'],
  stderr: ['stderr', 'it is not what the job wrote'],
  receipt: ['the record of the attempt', 'its final message is unknown'],
  attachments: ['the list of attachments', 'it may not name all of them'],
} as const;

/** Warnings of stored output that is not what the job wrote. */
export function damageOf(states: States): string[] {
  return (['stdout', 'stderr', 'receipt', 'attachments'] as const).flatMap((part) => {
    const state = states[`${part}_state`];
    const [what, meaning] = PARTS[part];
    return state === undefined || state === 'complete' ? [] : [`${what} is ${state}: ${meaning}`];
  });
}
