import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { expect, it, onTestFinished } from 'vitest';
import type { Outcome } from '../../../lib/jobs/receipts/receipt.ts';
import type { AgentFacts } from '../../../lib/vendors/output/agent-output.ts';
import { codex } from '../../../worker-container/agents/codex.ts';
import { saveSession, unlessRefused } from '../../../worker-container/attempt/attempt-session.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { virtualTiming } from '../output/virtual-timing.ts';

const FAILED: Outcome = { kind: 'failed', reason: 'agent_error', error: 'no', exit_code: 1, signal: null };
const NONE: AgentFacts = { finished: false };
const used = (output_tokens: number) => ({
  ...{ input_tokens: 10, cached_input_tokens: 0, reasoning_output_tokens: 0, output_tokens },
});

/** What an attempt and its session were like. */
interface Situation {
  readonly outcome?: Partial<Outcome>;
  readonly resumed?: { isOtherAccount: boolean } | undefined;
  readonly facts?: Partial<AgentFacts>;
  readonly tokens?: number;
}

function judged({ outcome, facts, tokens, ...rest }: Situation): Outcome {
  const resumed = 'resumed' in rest ? rest.resumed : { isOtherAccount: false };
  const about = { facts: { ...NONE, ...facts }, used: tokens === undefined ? undefined : used(tokens) };
  return unlessRefused({ ...FAILED, ...outcome }, resumed, about);
}

const other = { isOtherAccount: true };

it.each<[string, Situation]>([
  ['its CLI reported an error before the session was open', {}],
  ['its CLI exited before the session was open', { outcome: { reason: 'exited' } }],
  ['the model refused the session of another account', { resumed: other, facts: { sessionId: 's' } }],
  ['the vendor refused what the session holds', { facts: { sessionId: 's', refused: 'conversation' } }],
  ['the model refused it, and only input was used', { resumed: other, facts: { sessionId: 's' }, tokens: 0 }],
])('an attempt that continues a session starts over if %s', (_why, situation) => {
  expect(judged(situation)).toEqual({
    ...{ kind: 'handed_back', reason: 'waiting_for_worker', session_refused: true, exit_code: 1, signal: null },
  });
});

it.each<[string, Situation]>([
  ['it continued none', { resumed: undefined }],
  ['its agent succeeded', { outcome: { kind: 'succeeded', reason: 'exited' } }],
  ['it took too long', { outcome: { reason: 'timed_out' } }],
  ['its CLI was killed', { outcome: { reason: 'exited', signal: 'SIGKILL' } }],
  ['its session was opened', { facts: { sessionId: 's' } }],
  ['the vendor refused the request whatever the session', { facts: { sessionId: 's', refused: 'request' } }],
  ['the model answered', { resumed: other, facts: { sessionId: 's', finalMessage: 'Done.' } }],
  ['the model wrote something', { resumed: other, facts: { sessionId: 's' }, tokens: 1 }],
])('an attempt keeps its outcome if %s', (_why, situation) => {
  expect(judged(situation)).toEqual({ ...FAILED, ...situation.outcome });
});

/** The session of an attempt, and what its agent reports. */
async function session(agent: object) {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-session-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const timing = virtualTiming();
  const deployment = quietDeployment();
  const context = { ...deployment, timing, workerId: 'worker-1', log: new Logger({ logLevel: 'SILENT' }) };
  const id = '01a207f5-eb44-7283-a012-30a0de506a94';
  await mkdir(join(folder, 'sessions'));
  await writeFile(join(folder, 'sessions', `${id}.jsonl`), '{"line":1}\n');
  const prepared = { agent, profile: { vendor: 'practice' }, cwd: '/', resumed: undefined, origin: {} };
  const how = { files: { agent: folder } as never, redaction: new Redaction(), sessionId: () => id };
  return { timing, deployment, saved: saveSession(context as never, aRunningJob(), prepared as never, how) };
}

it('an agent that keeps no session has the usage that it reports', async () => {
  const { saved, deployment } = await session({ name: 'shell' });
  saved.grown();
  expect(await saved.finish()).toEqual([]);
  expect([saved.usage(undefined), saved.usage(used(1))]).toEqual([{}, { usage: used(1) }]);
  expect(deployment.calls).toEqual([]);
});

it('a session is saved to its end, unless the job is lost: then nothing more is', async () => {
  const agent = { ...codex, sessionFolder: 'sessions' };
  const whole = await session(agent);
  expect(await whole.saved.finish()).toEqual([]);
  expect(whole.deployment.calls).toHaveLength(2);
  const lost = await session(agent);
  lost.saved.grown();
  expect(lost.timing.scheduled()).toBe(1);
  expect(await lost.saved.finish(0)).toEqual([]);
  expect(lost.timing.scheduled()).toBe(0);
  expect(lost.deployment.calls).toEqual([]);
});
