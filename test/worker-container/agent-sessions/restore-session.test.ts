import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AgentSessionStore } from '../../../lib/jobs/output/agent-sessions/agent-session-store.ts';
import { sessionAboutKey, sessionPartKey } from '../../../lib/jobs/output/output-keys.ts';
import { type RestoreRequest, restoreSession } from '../../../worker-container/agent-sessions/restore-session.ts';
import { folderHost, OlderCliError } from '../../../worker-container/agent-sessions/session-origin.ts';

import { ModelObjects } from '../../simulation/model/objects.ts';

const ID = '01a207f5-eb44-7283-a012-30a0de506a94';
const RECORD = {
  version: 1,
  agent: 'codex',
  vendor: 'practice',
  session_id: ID,
  path: `2026/11/24/rollout-${ID}.jsonl`,
  cwd: '/work',
  worker_id: 'worker-1',
  billed_bytes: 3,
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

/** A session that attempt 2 of `job` has saved. */
function saved(record: Record<string, unknown>, text = '{"line":1}\n'): AgentSessionStore {
  const model = new ModelObjects();
  const put = (Key: string, Body: string) => model.perform(new PutObjectCommand({ Bucket: 'b', Key, Body }));
  put(sessionAboutKey('job', 2, 0), JSON.stringify({ ...RECORD, ...record }));
  put(sessionPartKey('job', 2, 0, 0), text);
  const send = async (command: unknown) => model.perform(command);
  return new AgentSessionStore(Object.assign(new S3Client({ region: 'local' }), { send }), 'b');
}

async function restored(record: Record<string, unknown> = {}, request: Partial<RestoreRequest> = {}) {
  return await restoreSession({
    jobId: 'job',
    candidates: [3, 2, 1].map((attempt) => ({ jobId: 'job', attempt })),
    sessions: saved(record),
    isRecorded: async () => true,
    lostBytes: () => 0,
    meter: undefined,
    agent: 'codex',
    vendor: 'practice',
    origin: { cli_version: '0.169.0', account: 'one' },
    waitsForNewerCli: true,
    cwd: '/work',
    copiedFrom: [],
    onlyWorker: undefined,
    folder,
    ...request,
  });
}

test('the newest session is put where the CLI finds it', async () => {
  expect(await restored({ chain: [1] })).toMatchObject({ attempt: 2, chain: [1, 2], sessionId: ID, billedBytes: 11 });
  expect(await readFile(join(folder, RECORD.path), 'utf8')).toBe('{"line":1}\n');
});

test('what an attempt used that left no receipt is counted with its successor', async () => {
  expect(await restored({}, { isRecorded: async () => false })).toMatchObject({ billedBytes: 3, chain: [2] });
});

test.each(['0.169.0', '0.99.5', undefined])('a session of the version %s of the CLI is continued', async (version) => {
  expect(await restored({ cli_version: version })).toMatchObject({ attempt: 2 });
});

test('a session that a newer CLI made waits for another worker, then it is not continued', async () => {
  const newer = { cli_version: '0.170.0' };
  const why = 'version 0.170.0 of the CLI made the session; this worker has 0.169.0';
  await expect(restored(newer)).rejects.toThrow(new OlderCliError(newer, { cli_version: '0.169.0' }));
  expect(await restored(newer, { waitsForNewerCli: false })).toBe(why);
  expect(await readdir(folder)).toEqual([]);
});

test('a session that was made in the folder that was copied is moved, and its usage is not counted', async () => {
  const path = `projects/-source/${ID}.jsonl`;
  const sessions = saved({ cwd: '/source', path }, '{"cwd":"/source"}\n');
  const isRecorded = async () => false;
  const copied = { sessions, copiedFrom: ['/source'], isRecorded };
  expect(await restored({}, copied)).toMatchObject({ attempt: 2, billedBytes: 16, bytes: 16 });
  expect(await readFile(join(folder, `projects/-work/${ID}.jsonl`), 'utf8')).toBe('{"cwd":"/work"}\n');
});

test('a session is continued where its folder is', async () => {
  expect(await restored({}, { onlyWorker: 'worker-1' })).toMatchObject({ attempt: 2 });
});

describe('a session is not continued', () => {
  test.each([
    ['by another agent', { agent: 'claude' }, {}, 'it belongs to the agent claude'],
    ['with another vendor', { vendor: 'own' }, {}, 'it belongs to another vendor'],
    ['in another folder', { cwd: '/elsewhere' }, {}, 'its working folder was another one'],
    ['away from its folder', {}, { onlyWorker: 'worker-2' }, 'its working folder is on another worker'],
    ['if its id is no id', { session_id: '../x' }, {}, 'its record is not sound'],
    ['if its path leads out', { path: '../../x' }, {}, 'its record is not sound'],
    ['if its path is absolute', { path: '/etc/x' }, {}, 'its record is not sound'],
  ] as const)('%s', async (_what, record, request, why) => {
    expect(await restored(record, request)).toBe(why);
    expect(await readdir(folder)).toEqual([]);
  });
});

test('the workers of one local run share the folders of its machine, and others share none', () => {
  const at = (workerId: string, home?: string) => folderHost({ workerId, env: { PROMPTQ_RUN_HOME: home } });
  expect(at('worker-1', '/home/a')).toBe(at('worker-2', '/home/a'));
  expect(at('worker-1', '/home/a')).not.toBe(at('worker-1', '/home/b'));
  expect(at('worker-1')).toBe('worker-1');
});
