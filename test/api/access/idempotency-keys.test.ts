import { beforeAll, expect, it, test } from 'vitest';
import { type Browser, signedInBrowser } from '../../local-run/browser.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob } from '../job-client.ts';

const JOB = { prompt: 'true', profile: 'shell', project: 'keys', draft: true };

let service: ServiceUnderTest;
let admin: Browser;
beforeAll(async () => {
  service = await sharedService();
  admin = await signedInBrowser(service, 'admin');
});

type Api = ServiceUnderTest['api'];
const as =
  (browser: Browser): Api =>
  async (method, path, body) =>
    await browser.api(method, path, body);

/** Calls in the name of a new token, and the id of the token. */
async function newToken(fields: object = {}): Promise<{ id: string; api: Api }> {
  const { json } = await admin.api('POST', '/tokens', { name: 'ci', ...fields });
  return {
    id: json.id,
    api: (method, path, body) => service.api(method, path, body, { authorization: `Bearer ${json.token}` }),
  };
}

const create = async (api: Api, body: object) => {
  const { status, json, headers } = await api('POST', '/jobs', { ...JOB, ...body });
  const { id, replayed, differs } = json;
  const told = [headers.get('idempotent-replayed'), headers.get('idempotent-differs')];
  return { status, id, replayed, differs, told };
};

it('an idempotency key belongs to a token and its replacements, or to a person in any session', async () => {
  const body = { idempotency_key: 'nightly' };
  const [first, namesake] = [await newToken(), await newToken()];
  const replacement = await newToken({ replaces: first.id, name: 'ci 2' });
  const replacedTwice = await newToken({ replaces: replacement.id });
  await admin.api('POST', `/tokens/${first.id}/revoke`, {});
  const again = await signedInBrowser(service, 'admin');
  const other = await signedInBrowser(service, 'operator');
  const senders: Record<string, Api> = { replacement: replacement.api, replacedTwice: replacedTwice.api };
  Object.assign(senders, { namesake: namesake.api, admin: as(admin), again: as(again), other: as(other) });
  const ids: Record<string, string> = {};
  for (const [name, api] of Object.entries(senders)) ids[name] = (await create(api, body)).id;
  expect(ids).toEqual({ ...ids, replacedTwice: ids.replacement, again: ids.admin });
  expect(new Set(Object.values(ids)).size).toBe(4);
  expect((await admin.api('POST', '/tokens', { name: 'ci', replaces: 'tok_none' })).json).toMatchObject({
    error: expect.stringContaining('replaces: received "tok_none"'),
  });
});

test.each([
  ['the same', JOB, { priority: 0, profile: 'shell' }, []],
  ['the other names of its fields', {}, { prompt: undefined, base_prompt: 'true', save_draft: true, draft: false }, []],
  [
    'a prompt that is longer at its end',
    { prompt: 'a'.repeat(9_000) },
    { prompt: `${'a'.repeat(9_000)}b` },
    ['prompt'],
  ],
  ['another profile and project', {}, { profile: 'practice', project: 'elsewhere' }, ['profile', 'project']],
  ['fewer fields', { title: 'T', tags: ['a'], retries: 2, timeout: 5 }, {}, ['retries', 'tags', 'timeout', 'title']],
])('a repeat with %s names the fields that differ', async (name, first, second, differs) => {
  const idempotency_key = `repeat ${name}`;
  const { id } = await create(service.api, { ...first, idempotency_key });
  // What an edit changes is not what a request asked for.
  await service.api('PATCH', `/jobs/${id}/draft`, { prompt: 'edited', priority: 7 });
  const told = ['true', differs.length === 0 ? null : differs.join(', ')];
  const repeated = await create(service.api, { ...second, idempotency_key });
  expect(repeated).toEqual({ status: 201, id, replayed: true, differs, told });
  expect((await service.api('GET', `/jobs/${id}`)).json).toMatchObject({ prompt: 'edited', priority: 7 });
});

it('the idempotency key of a message belongs to its sender', async () => {
  const id = await createJob(service, { prompt: 'drill: hang' });
  const send = async (api: Api, text: string) =>
    await api('POST', `/jobs/${id}/messages`, { text, idempotency_key: 'k', only_now: true });
  const [first, repeated, other] = [
    await send(service.api, 'one'),
    await send(service.api, 'two'),
    await send(as(admin), 'two'),
  ];
  expect([first.status, first.json]).toEqual([202, { id: first.json.id, replayed: false, differs: [] }]);
  expect(repeated.json).toEqual({ id: first.json.id, replayed: true, differs: ['text'] });
  expect(repeated.headers.get('idempotent-differs')).toBe('text');
  expect([other.json.replayed, other.json.id === first.json.id]).toEqual([false, false]);
  await service.api('POST', `/jobs/${id}/kill`, {});
});
