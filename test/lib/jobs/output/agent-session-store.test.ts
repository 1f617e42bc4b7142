import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { AgentSessionStore } from '../../../../lib/jobs/output/agent-sessions/agent-session-store.ts';
import { sessionAboutKey, sessionPartKey } from '../../../../lib/jobs/output/output-keys.ts';
import { ModelObjects } from '../../../simulation/model/objects.ts';

const RECORD = {
  ...{
    version: 1,
    agent: 'codex',
    vendor: 'practice',
    session_id: 's',
    path: 'p',
    cwd: '/work',
    worker_id: 'w',
    billed_bytes: 0,
  },
  later: 'member',
};

/** A store with objects by key. */
function storeOf(objects: Readonly<Record<string, string>>): AgentSessionStore {
  const model = new ModelObjects();
  for (const [Key, Body] of Object.entries(objects)) model.perform(new PutObjectCommand({ Bucket: 'b', Key, Body }));
  const send = async (command: unknown) => model.perform(command);
  return new AgentSessionStore(Object.assign(new S3Client({ region: 'local' }), { send }), 'b');
}

async function textOf(store: AgentSessionStore): Promise<string | undefined> {
  const session = await store.find('j', 1);
  return session && Buffer.concat(await Array.fromAsync(session.read())).toString();
}

const about = (generation: number) => ({ [sessionAboutKey('j', 1, generation)]: JSON.stringify(RECORD) });
const part = (offset: number, text: string, generation = 0) => ({ [sessionPartKey('j', 1, generation, offset)]: text });

test('a session is its parts in order, up to the first that is missing', async () => {
  expect(await textOf(storeOf({ ...about(0), ...part(2, 'b\n'), ...part(0, 'a\n') }))).toBe('a\nb\n');
  expect(await textOf(storeOf({ ...about(0), ...part(0, 'a\n'), ...part(4, 'c\n') }))).toBe('a\n');
  expect(await textOf(storeOf({ ...about(0), ...part(2, 'b\n') }))).toBeUndefined();
});

test('a later generation replaces an earlier one', async () => {
  const both = { ...about(0), ...part(0, 'old\n'), ...about(1), ...part(0, 'new\n', 1) };
  expect(await textOf(storeOf(both))).toBe('new\n');
});

test('without its record, or with one of a later version, a session is not read', async () => {
  expect(await textOf(storeOf(part(0, 'a\n')))).toBeUndefined();
  const later = JSON.stringify({ ...RECORD, version: 2 });
  expect(await textOf(storeOf({ [sessionAboutKey('j', 1, 0)]: later, ...part(0, 'a\n') }))).toBeUndefined();
  expect(await textOf(storeOf({ [sessionAboutKey('j', 1, 0)]: '{', ...part(0, 'a\n') }))).toBeUndefined();
});
