import * as z from 'zod';
import { knownOrLater } from '../../contract/later-code.ts';
import { QUESTION_STATES } from '../../contract/schemas/jobs/question.ts';

/** The newest question of a job's agent. Its text, and the answer's, are in rows beside the job. */
export const questionSchema = z.object({
  id: z.string(),
  state: knownOrLater(QUESTION_STATES),
  /** RFC 3339. */
  due: z.string(),
  /** The agent gave an answer that counts if nobody answers in time. */
  has_default: z.boolean().optional(),
  /** The row with the answer. */
  answer: z.string().optional(),
  /** Asked in an earlier round: no later attempt gets it. */
  stale: z.boolean().optional(),
});
export type Question = z.output<typeof questionSchema>;
