import * as z from 'zod';
import { knownOrLater } from '../../contract/later-code.ts';

/**
 * Work that follows the end of a job. The write that ends a job lists the effects that are due, so that no death of a
 * process loses one. The process that ended the job runs them immediately (`reconciler/after-attempt.ts`). The
 * reconciler runs those that are left, from one sparse partition in the order in which they are due. It records each
 * try before it begins: an effect that fails, or kills its process, is tried again after a growing pause, and others
 * are not kept waiting.
 */
export const EFFECTS = ['thread', 'follow_ups', 'messages', 'calls', 'commands', 'deployed', 'delete_output'] as const;
export type EffectName = (typeof EFFECTS)[number];
/** What deploy bindings do. */
export type DeployEffect = Extract<EffectName, 'calls' | 'commands'>;

export const effectSchema = z.object({
  name: knownOrLater(EFFECTS),
  /** The attempt that it follows; absent: it follows the job's end, and a retry of the job cancels it. */
  attempt: z.number().optional(),
  /** When it became due: the same effect of a later end is another one. */
  since: z.string(),
  /** Tries that a reconciler has begun, and how many of these have failed. The others ended with their process. */
  tries: z.number().optional(),
  failures: z.number().optional(),
  /** When a reconciler runs it; absent: at its next round. */
  due_at: z.string().optional(),
});
export type Effect = z.output<typeof effectSchema>;
