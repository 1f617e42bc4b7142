import { promptLength } from '../../lib/contract/compose-prompt.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { messageText } from '../../lib/jobs/messages/message-id.ts';
import type { JobMessageStore } from '../../lib/jobs/store/job-messages.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';

/** A prompt with the messages that go with it. */
export interface PromptWithMessages {
  readonly prompt: string;
  /** Ids of the messages in the prompt. */
  readonly given: readonly string[];
}

interface Giving {
  readonly messages: JobMessageStore;
  readonly now: () => number;
  /** Ids of the messages that the session to continue has. */
  readonly inSession: ReadonlySet<string>;
  /** Most characters of the prompt. */
  readonly most: number;
}

/**
 * Adds the messages to a prompt that the agent's session lacks, in order and as far as the prompt may be longer. The
 * session decides: messages that an earlier attempt had delivered are given again to an agent that starts over.
 */
export async function withMessages(
  { messages, now, inSession, most }: Giving,
  job: Pick<Job, 'id' | 'attempt' | 'messages'>,
  prompt: string,
): Promise<PromptWithMessages> {
  if (job.messages === undefined) return { prompt, given: [] };
  const given: string[] = [];
  let all = prompt;
  for (const row of await messages.list(job.id)) {
    if (row.state !== 'pending' && row.state !== 'sent' && row.state !== 'delivered') continue;
    if (inSession.has(row.id)) {
      if (row.state !== 'delivered')
        await messages.change(job.id, row, { state: 'delivered', delivered_at: timestamp(now()) });
      continue;
    }
    const longer = `${all}\n\n${messageText(row)}`;
    if (promptLength(longer) > most) break;
    // The process that settles the end of the round before may be faster. What is delivered stays so: this attempt may
    // have been replaced, and nothing would settle the message again.
    const isTaken =
      row.state === 'delivered' ||
      (await messages.change(job.id, row, { state: 'sent', attempt: job.attempt })) !== undefined;
    if (!isTaken) continue;
    all = longer;
    given.push(row.id);
  }
  return { prompt: all, given };
}
