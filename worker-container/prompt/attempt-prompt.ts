import { AGENT_DEFINITIONS, type AgentName } from '../../lib/contract/agents.ts';
import { composePrompt, promptLength } from '../../lib/contract/compose-prompt.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { answerText } from '../../lib/jobs/questions/answer-text.ts';
import type { JobTextStore, JobTexts } from '../../lib/jobs/store/job-texts.ts';
import type { EarlierTurn } from '../../lib/jobs/threads/conversation.ts';
import type { Clock } from '../../lib/platform/aws/table-clock.ts';
import type { RestoredSession } from '../agent-sessions/restore-session.ts';
import { RESUME_NOTE } from '../agent-sessions/resume-note.ts';
import { type PromptWithMessages, withMessages } from '../messages/given-messages.ts';
import type { Redaction } from '../secrets/redaction.ts';
import { rethrowTransient } from '../secrets/transient-error.ts';
import { type RecordSources, threadRecord } from './thread-record.ts';

/** The prompt of the job, after its rules. A script has none. @throws Error if it is longer than the agent takes */
export function jobPrompt(agent: AgentName, rules: readonly { readonly text: string }[], texts: JobTexts): string {
  const prompt = composePrompt(agent === 'shell' ? [] : rules.map(({ text }) => text), texts);
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
  /** Masks the answer of a person, here and where it is stored. */
  readonly redaction: Redaction;
}

/**
 * The prompt of an attempt: the job's, after a record of the thread if the agent does not know it, or a note that its
 * work was interrupted; then the answer to its question; then the messages that its session lacks.
 * @throws SettingsUnreadError; SessionLostError; Error if it is longer than the agent takes
 */
export async function attemptPrompt(
  sources: PromptSources,
  job: Job,
  { agent, prompt, earlier, resumed, redaction }: PromptSituation,
): Promise<AttemptPrompt> {
  const most = AGENT_DEFINITIONS[agent].maxPromptLength;
  const mask = (text: string) => redaction.text(text);
  const answer = await rethrowTransient(() => answerText(sources.texts.questions, job, mask));
  const asked = resumed?.attempt === undefined ? prompt : RESUME_NOTE;
  const own = answer === undefined ? asked : `${asked}\n\n${answer}`;
  if (promptLength(own) > most)
    throw new Error(`the prompt with the answer to its question is longer than agent ${agent} takes`);
  const isFresh = resumed === undefined && earlier !== undefined;
  const { begun, warnings } = isFresh
    ? await rethrowTransient(() => withRecord(sources, earlier, { own, most }))
    : { begun: own, warnings: [] };
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

/** The prompt of a job whose agent does not know the thread, after what was said in it. */
async function withRecord(
  sources: RecordSources,
  earlier: readonly EarlierTurn[],
  { own, most }: { readonly own: string; readonly most: number },
): Promise<{ readonly begun: string; readonly warnings: readonly string[] }> {
  const separators = 2 * '\n\n'.length;
  const { rules, text, warning } = await threadRecord(sources, earlier, most - promptLength(own) - separators);
  return { begun: composePrompt([...rules, text], { prompt: own }), warnings: warning === undefined ? [] : [warning] };
}
