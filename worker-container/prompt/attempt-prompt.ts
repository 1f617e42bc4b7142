import { AGENT_DEFINITIONS, type AgentName } from '../../lib/contract/agents.ts';
import { composePrompt, promptLength } from '../../lib/contract/compose-prompt.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { answerText } from '../../lib/jobs/questions/answer-text.ts';
import type { JobTextStore, JobTexts } from '../../lib/jobs/store/job-texts.ts';
import type { EarlierTurn } from '../../lib/jobs/threads/conversation.ts';
import type { Clock } from '../../lib/platform/aws/table-clock.ts';
import type { RestoredSession } from '../agent-sessions/restore-session.ts';
import { RESUME_NOTE } from '../agent-sessions/resume-note.ts';
import { INCOMPLETE } from '../agent-sessions/session-saver.ts';
import { type PromptWithMessages, withMessages } from '../messages/given-messages.ts';
import type { Redaction } from '../secrets/redaction.ts';
import { rethrowTransient } from '../secrets/transient-error.ts';
import { type RecordSources, threadRecord } from './thread-record.ts';

/**
 * The prompt of the job, after its rules.
 * @throws Error if it is longer than the agent takes, or if there are rules for a script: its profile has changed since it
 * was queued
 */
export function jobPrompt(agent: AgentName, rules: readonly { readonly text: string }[], texts: JobTexts): string {
  if (agent === 'shell' && rules.length > 0)
    throw new Error('the job has rules, and its profile has the agent shell by now, which takes none');
  const prompt = composePrompt(
    rules.map(({ text }) => text),
    texts,
  );
  if (promptLength(prompt) > AGENT_DEFINITIONS[agent].maxPromptLength)
    throw new Error(`the composed prompt is longer than agent ${agent} takes`);
  return prompt;
}

/** Where the parts of a prompt come from that the job does not hold. */
export interface PromptSources extends RecordSources {
  readonly texts: Pick<JobTextStore, 'get' | 'messages' | 'questions'>;
  readonly clock: Clock;
}

/** The prompt of an attempt. */
export interface AttemptPrompt extends PromptWithMessages {
  /** Shown with the job. */
  readonly warnings: readonly string[];
}

/** What the agent of an attempt knows, and what it is to do. */
export interface PromptSituation {
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
