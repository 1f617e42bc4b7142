import * as z from 'zod';
import { knownOrLater } from '../../later-code.ts';
import { LIMITS } from '../../limits.ts';
import { timestamp } from '../fields/text.ts';

const { questions } = LIMITS;

/** What became of a question. */
export const QUESTION_STATES = ['open', 'answered', 'expired', 'withdrawn'] as const;

const state = knownOrLater(QUESTION_STATES).meta({
  description:
    '`open`: it can be answered. `expired`: nobody answered before the deadline. `withdrawn`: the job ended, was retried or was edited before an answer, or its agent does not wait for one.',
});

/** The newest question, as a job shows it. */
export const jobQuestion = z
  .object({
    id: z.string().meta({ example: 'q_7h2j4d6f8a' }),
    state,
    deadline: timestamp.meta({ description: 'Until when it can be answered.' }),
  })
  .meta({ id: 'AskedQuestion' });

/** A question with its text. */
const questionView = z
  .object({
    id: z.string().meta({ example: 'q_7h2j4d6f8a' }),
    job_id: z.string(),
    state,
    question: z.string().meta({
      description: `Up to ${questions.textBytes} bytes, with the secrets of its attempt masked. Unlike the output of a job, it is shown to callers without the scope \`logs\`.`,
      example: 'Which of the two databases shall I migrate?',
    }),
    options: z
      .array(z.string())
      .meta({ description: 'Answers that the agent suggests. Any other text is allowed too.' }),
    default: z.string().nullable().meta({
      description: 'The answer that counts if nobody answers before the deadline. Null: the job fails then.',
    }),
    attempt: z.number().int().meta({ description: 'The attempt that asked.' }),
    asked_at: timestamp,
    deadline: timestamp,
    answer: z.string().nullable().meta({
      description: 'As it was written until the agent gets it; from then on with its secrets masked.',
    }),
    answered_by: z.string().nullable().meta({ example: 'user:ada@example.com' }),
    answered_at: timestamp.nullable(),
  })
  .meta({ id: 'Question' });
export type QuestionView = z.output<typeof questionView>;

/** `GET /jobs/{id}/questions`. */
export const questionList = z
  .object({ items: z.array(questionView).meta({ description: 'All questions of the job, newest first.' }) })
  .meta({ id: 'QuestionList' });

/** `POST /jobs/{id}/answers`. */
export const answer = z
  .strictObject({
    question_id: z.string().min(1).max(LIMITS.nameLength).meta({ description: 'The `id` of the open question.' }),
    answer: z
      .string()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= questions.answerBytes, {
        error: `expected at most ${questions.answerBytes} bytes of UTF-8`,
        abort: true,
      })
      .refine((text) => text.trim() !== '', 'expected more than whitespace')
      .meta({ description: `The answer, up to ${questions.answerBytes} bytes.` }),
  })
  .meta({ id: 'Answer' });
