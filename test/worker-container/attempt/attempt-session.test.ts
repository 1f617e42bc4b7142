import { appendFile, link, mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { AgentSessionStore } from '../../../lib/jobs/output/agent-sessions/agent-session-store.ts';
import { sessionAboutKey, sessionPartKey } from '../../../lib/jobs/output/output-keys.ts';
import { restoreSession } from '../../../worker-container/agent-sessions/restore-session.ts';
import type { Agent } from '../../../worker-container/agents/agent.ts';
import { codex } from '../../../worker-container/agents/codex.ts';
import { saveSession } from '../../../worker-container/attempt/attempt-session.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { ModelObjects } from '../../simulation/model/objects.ts';

const ID = '01a207f5-eb44-7283-a012-30a0de506a94';
const JOB = aRunningJob({ attempt: 2, resume_from: 1 });

const usage = (tokens: number) => ({
  input_tokens: tokens,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_output_tokens: 0,
});
const call = (tokens: number) => line({ type: 'token_usage_record', payload: { usage: usage(tokens) } });
const total = (tokens: number) =>
  line({ type: 'event_msg', payload: { type: 'token_count', info: { total_token_usage: usage(tokens) } } });

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

let folder: string;
let objects: ModelObjects;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-session-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  objects = new ModelObjects();
});

/** The session of an attempt. */
function saved(attempt: { readonly agent: Agent; readonly resumed?: unknown }, client: S3Client) {
  const log = new Logger({ logLevel: 'SILENT' });
  const worker = { objects: client, env: { OUTPUT_BUCKET: 'b' }, workerId: 'worker-1', log };
  return saveSession(
    { worker, job: JOB, files: { agent: folder }, redaction: new Redaction() } as never,
    { ...attempt, profile: { vendor: 'practice' }, cwd: '/work', origin: {} } as never,
    () => ID,
  );
}

/**
 * An attempt that continues a session in which 1,000 tokens were used.
 * @param isRecorded whether they were recorded
 */
async function continued({ isRecorded = true, isDown = false }: { isRecorded?: boolean; isDown?: boolean } = {}) {
  const send = async (command: unknown) => {
    if (isDown && command instanceof PutObjectCommand) throw new Error('the store is down');
    return objects.perform(command);
  };
  const put = (Key: string, Body: string) => objects.perform(new PutObjectCommand({ Bucket: 'b', Key, Body }));
  const made = { agent: 'codex', vendor: 'practice', cwd: '/work', worker_id: 'worker-1', billed_bytes: 0 };
  put(sessionAboutKey(JOB.id, 1, 0), JSON.stringify({ version: 1, ...made, session_id: ID, path: `${ID}.jsonl` }));
  put(sessionPartKey(JOB.id, 1, 0, 0), call(1_000) + total(1_000));
  const client = Object.assign(new S3Client({ region: 'local' }), { send });
  const sessionFolder = join(folder, codex.sessionFolder ?? '');
  const resumed = await restoreSession({
    ...{ jobId: JOB.id, candidates: [{ jobId: JOB.id, attempt: 1 }], sessions: new AgentSessionStore(client, 'b') },
    ...{
      isRecorded: async () => isRecorded,
      lostBytes: () => 0,
      meter: codex.createMeter?.(),
      agent: 'codex',
      vendor: 'practice',
    },
    ...{ origin: {}, waitsForNewerCli: true, cwd: '/work', copiedFrom: [], onlyWorker: undefined },
    folder: sessionFolder,
  });
  const session = saved({ agent: codex, resumed }, client);
  return { session, file: join(sessionFolder, `${ID}.jsonl`) };
}

test.each([true, false])(
  'the usage is that since the attempt before, if that recorded its own: %s',
  async (isRecorded) => {
    const { session, file } = await continued({ isRecorded });
    await appendFile(file, call(500) + total(1_500));
    expect(await session.finish()).toEqual([]);
    const counted = isRecorded ? 500 : 1_500;
    expect(session.usage(usage(1_500))).toEqual({
      usage: usage(counted),
      ...(isRecorded && { usage_from: 'session' }),
    });
  },
);

test.each([
  ['the file became too large', async (file: string) => await truncate(file, 64 * 1024 * 1024 + 1)],
  ['the agent gave the file another name', async (file: string) => await link(file, join(folder, 'other'))],
  ['the agent removed the file', async (file: string) => await rm(file)],
  ['the store was down', async () => undefined],
])('the usage is complete, and without that of the attempt before, although %s', async (_why, happens) => {
  const { session, file } = await continued({ isDown: true });
  await appendFile(file, call(500) + total(1_500));
  await happens(file);
  await session.finish(1);
  expect(session.usage(usage(2_500))).toEqual({ usage: usage(1_500), usage_from: 'session' });
});

test('the usage of an agent whose session tells none is the reported one', () => {
  const { createMeter: _none, ...agent } = codex;
  const session = saved({ agent }, new S3Client({ region: 'local' }));
  expect(session.usage(usage(5))).toEqual({ usage: usage(5) });
  expect(session.usage(undefined)).toEqual({});
  session.dispose();
});
