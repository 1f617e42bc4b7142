import type { RuleStore } from '../../lib/catalog/rules.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { OutputStore } from '../../lib/jobs/output/output-store.ts';
import { readableReceipt } from '../../lib/jobs/output/readable-receipt.ts';
import { listQuestions } from '../../lib/jobs/questions/list-questions.ts';
import type { JobTextStore } from '../../lib/jobs/store/job-texts.ts';
import type { EarlierTurn } from '../../lib/jobs/threads/conversation.ts';

/** A job that continues others has neither their session nor a record of what was said. */
export class SessionLostError extends Error {
  override readonly name = 'SessionLostError';

  constructor() {
    super('neither the session of the thread nor the record of its earlier turns is left');
  }
}

const HEADING = [
  'This task continues earlier work, but the conversation about it is not available to you. These are its prompts and',
  'final answers, and what people were asked, oldest first; long ones are cut. The working folder has the results, unless it says otherwise.',
].join('\n');

/** Where it is kept what was said. */
export interface RecordSources {
  readonly texts: Pick<JobTextStore, 'get' | 'questions'>;
  readonly rules: Pick<RuleStore, 'get'>;
  readonly output: Pick<OutputStore, 'readReceipt'>;
}

/** What the turns before a job were asked, and answered, for an agent that can't continue their session. */
export async function threadRecord(
  context: RecordSources,
  earlier: readonly EarlierTurn[],
): Promise<{ readonly text: string; readonly rules: readonly string[] }> {
  const entries: string[] = [];
  const ruleIds = new Set<string>();
  let room: number = LIMITS.threadRecordBytes;
  for (const [at, { job, attempt }] of [...earlier.entries()].toReversed()) {
    const number = at + 1;
    const { prompt, rule_ids = [] } = await context.texts.get(job);
    for (const id of rule_ids) ruleIds.add(id);
    const { receipt } = await readableReceipt(context.output, job.id, attempt);
    const asked = await questionsOf(context, job);
    const answer =
      receipt?.final_message === undefined ? '' : `\n\nAnswer ${number}:\n${cut(receipt.final_message, SHARES.answer)}`;
    const entry = `Prompt ${number}:\n${cut(prompt, SHARES.prompt)}${asked}${answer}`;
    room -= Buffer.byteLength(entry);
    if (room < 0 && entries.length > 0) break;
    entries.unshift(entry);
  }
  if (entries.length === 0) throw new SessionLostError();
  const { rules } = await context.rules.get([...ruleIds]);
  return { text: `${HEADING}\n\n${entries.join('\n\n')}`, rules: rules.map(({ text }) => text) };
}

/** What the agent of a turn asked, and what it was answered, oldest first. */
async function questionsOf({ texts }: Pick<RecordSources, 'texts'>, job: Job): Promise<string> {
  if (job.questions === undefined) return '';
  const questions = await listQuestions(texts.questions, job);
  const most = SHARES.questions / (2 * questions.length);
  return questions
    .toReversed()
    .flatMap(({ question, answer, default: fallback }) => {
      const got = answer ?? fallback;
      return got === null ? [] : [`\n\nQuestion:\n${cut(question, most)}\n\nAnswer to it:\n${cut(got, most)}`];
    })
    .join('');
}

/** Most bytes of the parts of one turn, so that none fills the record. */
const SHARES = {
  prompt: 0.4 * LIMITS.threadRecordBytes,
  questions: 0.18 * LIMITS.threadRecordBytes,
  answer: 0.4 * LIMITS.threadRecordBytes,
} as const;

function cut(text: string, most: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= most
    ? text
    : `${bytes
        .subarray(0, most)
        .toString()
        .replace(/\uFFFD+$/, '')} …`;
}
