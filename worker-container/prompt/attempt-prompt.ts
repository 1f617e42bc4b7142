import type { RuleStore } from '../../lib/catalog/rules.ts';
import { AGENT_DEFINITIONS, type AgentName } from '../../lib/contract/agents.ts';
import { composePrompt, promptLength } from '../../lib/contract/compose-prompt.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { OutputStore } from '../../lib/jobs/output/output-store.ts';
import { readableReceipt } from '../../lib/jobs/output/readable-receipt.ts';
import { answerText, listMasked } from '../../lib/jobs/questions/answer-text.ts';
import type { JobTextStore, JobTexts } from '../../lib/jobs/store/job-texts.ts';
import type { EarlierTurn } from '../../lib/jobs/threads/conversation.ts';
import type { Clock } from '../../lib/platform/aws/table-clock.ts';
import type { RestoredSession } from '../agent-sessions/restore-session.ts';
import { INCOMPLETE } from '../agent-sessions/session-saver.ts';
import { type PromptWithMessages, withMessages } from '../messages/message-courier.ts';
import type { Redaction } from '../secrets/redaction.ts';
import { rethrowTransient } from '../secrets/transient-error.ts';

/**
 * The prompt of the job, after its rules.
 * @throws Error if it is longer than the agent takes, or if there are rules, values of a template or data from outside for
 * a script: its profile has changed since it was queued
 */
export function jobPrompt(agent: AgentName, rules: readonly { readonly text: string }[], texts: JobTexts): string {
  if (agent === 'shell' && rules.length > 0)
    throw new Error('the job has rules, and its profile has the agent shell by now, which takes none');
  if (agent === 'shell' && texts.from?.in_prompt === true)
    throw new Error(
      'the prompt has values of its template, and its profile has the agent shell by now, which would run them',
    );
  if (agent === 'shell' && texts.has_data === true)
    throw new Error('the prompt has data from outside, and its profile has the agent shell by now, which would run it');
  const prompt = composePrompt(
    rules.map(({ text }) => text),
    texts,
  );
  if (promptLength(prompt) > AGENT_DEFINITIONS[agent].maxPromptLength)
    throw new Error(`the composed prompt is longer than agent ${agent} takes`);
  return prompt;
}

/** Where the parts of a prompt come from that the job does not hold. */
interface PromptSources extends RecordSources {
  readonly texts: Pick<JobTextStore, 'get' | 'messages' | 'questions'>;
  readonly clock: Clock;
}

/** The prompt of an attempt. */
interface AttemptPrompt extends PromptWithMessages {
  /** Shown with the job. */
  readonly warnings: readonly string[];
}

/** What the agent of an attempt knows, and what it is to do. */
interface PromptSituation {
  readonly agent: AgentName;
  /** The job's own. */
  readonly prompt: string;
  /** The turns before the job, if the agent can continue their session; it knows them if it does. */
  readonly earlier: readonly EarlierTurn[] | undefined;
  /** The session that the agent continues. */
  readonly resumed: RestoredSession | undefined;
  /** Masks the answers of people, here and where it is stored. */
  readonly redaction: Redaction;
}

/**
 * The prompt of an attempt: the job's, after a record of the thread if the agent does not know it, or a note that its
 * work was interrupted; then the answers to its questions; then the messages that its session lacks.
 * @throws SettingsUnreadError; SessionLostError; Error if it is longer than the agent takes
 */
export async function attemptPrompt(
  sources: PromptSources,
  job: Job,
  { agent, prompt, earlier, resumed, redaction }: PromptSituation,
): Promise<AttemptPrompt> {
  const most = AGENT_DEFINITIONS[agent].maxPromptLength;
  const mask = (text: string) => redaction.text(text);
  const asked = resumed?.attempt === undefined ? prompt : RESUME_NOTE;
  const room = Math.min(LIMITS.threadRecordBytes, most - promptLength(asked) - '\n\n'.length);
  const answer = await rethrowTransient(() => answerText(sources.texts.questions, job, mask, room));
  const own = answer === undefined ? asked : `${asked}\n\n${answer}`;
  if (promptLength(own) > most)
    throw new Error(`the prompt with the answer to its question is longer than agent ${agent} takes`);
  const unknown = unknownTurns(earlier, resumed);
  const { begun, warnings } =
    unknown === undefined
      ? { begun: own, warnings: [] }
      : await rethrowTransient(() => withRecord(sources, unknown, { own, most, mask, isPart: resumed !== undefined }));
  // A script takes no messages.
  if (agent === 'shell') return { prompt: begun, given: [], warnings };
  const giving = {
    messages: sources.texts.messages,
    now: () => sources.clock.now(),
    inSession: resumed?.messageIds ?? new Set<string>(),
    most,
  };
  return { ...(await rethrowTransient(() => withMessages(giving, job, begun))), warnings };
}

/**
 * The turns before a job that its agent does not know. Of later turns than that of its session, those count that
 * succeeded: their sessions could not be saved. The session's own turn is one of them if its end could not be.
 * @returns undefined: none
 */
function unknownTurns(
  earlier: readonly EarlierTurn[] | undefined,
  resumed: RestoredSession | undefined,
): readonly EarlierTurn[] | undefined {
  if (earlier === undefined || resumed === undefined) return earlier;
  const known = earlier.findLastIndex(({ job }) => job.id === resumed.jobId);
  if (known === -1) return undefined;
  const isCut = earlier[known]?.job.attempt_warnings?.some((warning) => warning.startsWith(INCOMPLETE)) === true;
  const later = earlier.slice(isCut ? known : known + 1).filter(({ job }) => job.status === 'SUCCEEDED');
  return later.length === 0 ? undefined : later;
}

/** The prompt of a job whose agent does not know the thread, or the last of it, after what was said there. */
async function withRecord(
  sources: RecordSources,
  turns: readonly EarlierTurn[],
  { own, most, ...how }: { readonly own: string; readonly most: number } & Parameters<typeof threadRecord>[3],
): Promise<{ readonly begun: string; readonly warnings: readonly string[] }> {
  const separators = 2 * '\n\n'.length;
  const { rules, text, warning } = await threadRecord(sources, turns, most - promptLength(own) - separators, how);
  const count = `${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}`;
  const lacks = `session: it lacks the last of the thread: the agent got a record of ${count} instead`;
  const warnings = [...(how.isPart === true ? [lacks] : []), ...(warning === undefined ? [] : [warning])];
  return { begun: composePrompt([...rules, text], { prompt: own }), warnings };
}

/** The prompt of an attempt that continues the session of an interrupted one. */
const RESUME_NOTE = [
  'Your work on the task above was interrupted, and now continues where you stopped.',
  'The last command may be half done: check before you repeat it. Temporary files may be gone, and the working folder',
  'may have changed. $PROMPTQ_ATTACHMENTS has what you stored in it, unless its machine was lost.',
].join('\n');

/** A job that continues others has neither their session nor a record of what was said. */
export class SessionLostError extends Error {
  override readonly name = 'SessionLostError';

  constructor(why = 'neither the session of the thread nor the record of its earlier turns is left') {
    super(why);
  }
}

const HEADING = [
  'This task continues earlier work, but the conversation about it is not available to you. These are its prompts and',
  'final answers, and what people were asked, oldest first; long ones are cut. The working folder has the results, unless it says otherwise.',
].join('\n');

const HEADING_OF_PART = [
  'The conversation so far lacks later turns of this work. These are their prompts and final answers, and what people',
  'were asked, oldest first; long ones are cut. The working folder has the results, unless it says otherwise.',
].join('\n');

/** Where it is kept what was said. */
interface RecordSources {
  readonly texts: Pick<JobTextStore, 'get' | 'questions'>;
  readonly rules: Pick<RuleStore, 'get'>;
  readonly output: Pick<OutputStore, 'readReceipt'>;
}

type Mask = (text: string) => string;

/** What an agent gets that can't continue the session of its thread. */
interface ThreadRecord {
  readonly text: string;
  /** Of all turns, also of those that are left out. */
  readonly rules: readonly string[];
  /** Shown with the job; absent: nothing is left out. */
  readonly warning?: string;
}

/**
 * What the turns before a job were asked, and answered, for an agent that can't continue their session. The oldest turns
 * are left out, and long texts are cut, so that it fits.
 * @param most characters that the record and its rules may have
 * @param options.isPart its agent knows the turns before
 * @param options.mask masks the secrets of the attempt in the answers of people, here and where they are stored
 * @throws SessionLostError if nothing is left, or nothing fits
 */
export async function threadRecord(
  context: RecordSources,
  earlier: readonly EarlierTurn[],
  most: number,
  { isPart = false, mask }: { readonly isPart?: boolean; readonly mask: Mask },
): Promise<ThreadRecord> {
  const heading = isPart ? HEADING_OF_PART : HEADING;
  const ruleIds = new Set<string>();
  const turns: TurnTexts[] = [];
  let unread: number = LIMITS.threadRecordBytes;
  for (const turn of earlier.toReversed()) {
    const { prompt, rule_ids = [] } = await context.texts.get(turn.job);
    for (const id of rule_ids) ruleIds.add(id);
    if (unread <= 0) continue;
    const texts = await textsOf(context, turn, { prompt, mask });
    turns.push(texts);
    unread -= Buffer.byteLength(entryOf(texts, 0, LIMITS.threadRecordBytes).text);
  }
  if (turns.length === 0) throw new SessionLostError();
  const rules = (await context.rules.get([...ruleIds])).rules.map(({ text }) => text);
  const room = Math.min(LIMITS.threadRecordBytes, most - promptLength(composePrompt(rules, { prompt: heading })));
  if (room < LEAST_BYTES)
    throw new SessionLostError('the prompt and the rules leave no room for the record of the thread');
  const { entries, cutTurns } = fitted(turns, { room, count: earlier.length });
  const leftOut = earlier.length - entries.length;
  return {
    text: [heading, ...entries].join('\n\n'),
    rules,
    ...((leftOut > 0 || cutTurns > 0) && { warning: shortened(leftOut, cutTurns, earlier.length) }),
  };
}

/** Fewest bytes with which a record helps. */
const LEAST_BYTES = 1024;

/** What was said in a turn. */
interface TurnTexts {
  readonly prompt: string;
  readonly questions: readonly { readonly question: string; readonly answer: string }[];
  readonly answer: string | undefined;
}

async function textsOf(
  context: RecordSources,
  { job, attempt }: EarlierTurn,
  { prompt, mask }: { readonly prompt: string; readonly mask: Mask },
): Promise<TurnTexts> {
  const { receipt } = await readableReceipt(context.output, job.id, attempt);
  const asked = job.question === undefined ? [] : await listMasked(context.texts.questions, job, mask);
  const questions = asked.toReversed().flatMap(({ state, question, answer, default: fallback }) => {
    // Only a deadline that has passed makes a default count.
    const got = state === 'expired' ? fallback : answer;
    return got === null ? [] : [{ question, answer: got }];
  });
  return { prompt, questions, answer: receipt?.final_message };
}

/** The newest turns that fit, oldest first; at least one. @param turns newest first */
function fitted(
  turns: readonly TurnTexts[],
  { room, count }: { readonly room: number; readonly count: number },
): { readonly entries: readonly string[]; readonly cutTurns: number } {
  const entries: string[] = [];
  let cutTurns = 0;
  let left = room;
  for (const [before, turn] of turns.entries()) {
    const { text, isCut } = entryOf(turn, count - before, room);
    left -= Buffer.byteLength(text) + 2;
    if (left < 0 && entries.length > 0) break;
    entries.unshift(text);
    if (isCut) cutTurns += 1;
  }
  return { entries, cutTurns };
}

/** Largest shares of the room for the parts of one turn, so that none fills the record. */
const SHARES = { prompt: 0.4, questions: 0.18, answer: 0.4 } as const;

function entryOf(
  { prompt, questions, answer }: TurnTexts,
  number: number,
  room: number,
): { readonly text: string; readonly isCut: boolean } {
  let isCut = false;
  const cut = (text: string, most: number): string => {
    const bytes = Buffer.from(text);
    if (bytes.length <= most) return text;
    isCut = true;
    const kept = bytes.subarray(0, Math.max(0, most - Buffer.byteLength(' …')));
    return `${kept.toString().replace(/\uFFFD{1,3}$/, '')} …`;
  };
  const each = (SHARES.questions * room) / (2 * questions.length);
  const asked = questions.map(
    (given) => `\n\nQuestion:\n${cut(given.question, each)}\n\nAnswer to it:\n${cut(given.answer, each)}`,
  );
  const said = answer === undefined ? '' : `\n\nAnswer ${number}:\n${cut(answer, SHARES.answer * room)}`;
  const whole = `Prompt ${number}:\n${cut(prompt, SHARES.prompt * room)}${asked.join('')}${said}`;
  // The headings of many questions may need more than a small room has.
  return { text: cut(whole, room), isCut };
}

function shortened(leftOut: number, cutTurns: number, count: number): string {
  const parts = [
    ...(leftOut > 0 ? [`${leftOut} of ${count} turns left out (the oldest)`] : []),
    ...(cutTurns > 0 ? [`long texts cut in ${cutTurns} ${cutTurns === 1 ? 'turn' : 'turns'}`] : []),
  ];
  return `session: the agent got a shortened record of the thread: ${parts.join(', ')}`;
}
