import { AGENTS } from '../../../contract/agents.ts';
import { isKnown } from '../../../contract/later-code.ts';
import { boundedUsage } from '../../../contract/usage.ts';
import { skipDamaged } from '../../../platform/aws/skip-damaged.ts';
import { AGENT_OUTPUTS } from '../../../vendors/outputs.ts';
import type { Job } from '../../lifecycle/job.ts';
import type { LostUsage } from '../../receipts/receipt.ts';
import type { AgentSessionStore, StoredSession } from './agent-session-store.ts';

/**
 * What the lost attempt of a job used.
 * @returns undefined: it saved no session, one without a call, or one that can't be read, which is reported
 * @throws an unavailable service's error: the loss is decided later
 */
export async function lostUsage(
  sessions: Pick<AgentSessionStore, 'find'>,
  { id, attempt, agent }: Pick<Job, 'id' | 'attempt' | 'agent'>,
): Promise<LostUsage | undefined> {
  if (agent === 'shell') return undefined;
  return await skipDamaged(`session of job ${id}`, async () => {
    const session = await sessions.find(id, attempt);
    return session && (await usageIn(session));
  });
}

async function usageIn({ record, read }: StoredSession): Promise<LostUsage | undefined> {
  const { agent, billed_bytes: billed } = record;
  const meter = isKnown(AGENTS, agent) ? AGENT_OUTPUTS[agent].createMeter?.() : undefined;
  if (meter === undefined) return undefined;
  let at = 0;
  for await (const chunk of read()) {
    const end = Math.max(0, billed - at);
    meter.push(chunk.subarray(0, end), 'billed');
    meter.push(chunk.subarray(end), 'unbilled');
    at += chunk.length;
  }
  const usage = meter.usage(undefined);
  return usage === undefined ? undefined : { ...boundedUsage(usage), session_bytes: at };
}
