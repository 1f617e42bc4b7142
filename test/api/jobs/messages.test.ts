import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { amount } from '../../vitest/amount.ts';
import { fileAppears } from '../../worker-container/agents/run-agent.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
  const practice = { agent: 'codex', vendor: 'practice' };
  const profiles = [
    { ...practice, name: 'codex-exec', drive: 'exec' },
    { ...practice, name: 'claude-practice', agent: 'claude' },
    { ...practice, name: 'one-at-a-time', concurrency: 1 },
  ];
  expect((await service.api('POST', '/config/import', { profiles })).status).toBe(200);
});

function fileOf(id: string, name: string): string {
  return join(service.home, 'workspaces', 'local_project', id, 'work', name);
}

/** A job whose agent waits in a tool for the file `go`, then lists what it has read. */
async function startWaiting(profile: string): Promise<string> {
  const prompt = 'drill: tool touch up; while [ ! -e go ]; do sleep 0.05; done\ndrill: wait 0';
  const id = await createJob(service, { prompt, profile });
  await fileAppears(fileOf(id, 'up'));
  return id;
}

async function say(id: string, text: string, more: Record<string, unknown> = {}): Promise<string> {
  const { status, json, text: body } = await service.api('POST', `/jobs/${id}/messages`, { text, ...more });
  expect(status, body).toBe(202);
  return json.id;
}

async function messagesOf(id: string) {
  return (await service.api('GET', `/jobs/${id}/messages`)).json.items;
}

/** Resolves when the agent's CLI has taken a message, which its model reads once the tool has ended. */
async function given(id: string, message: string): Promise<void> {
  await waitFor(async () => {
    const { stdout } = (await service.api('GET', `/jobs/${id}/logs?stream=stdout`)).json;
    // claude reports how many it has queued, the first of which is the prompt.
    const count = (await messagesOf(id)).length + 1;
    return stdout.includes(`steer:${message}`) || stdout.split('"state":"queued"').length > count;
  });
}

async function finalMessageOf(id: string): Promise<string> {
  return (await service.api('GET', `/jobs/${id}/result`)).json.final_message;
}

test.for(amount(['practice'], ['practice', 'claude-practice']))(
  'a message to a running %s is in its next model request, once',
  async (profile) => {
    const id = await startWaiting(profile);
    const key = { idempotency_key: 'first' };
    const first = await say(id, 'count to three', key);
    const again = await service.api('POST', `/jobs/${id}/messages`, { text: 'count to three', ...key });
    expect([again.json.id, again.headers.get('idempotent-replayed')]).toEqual([first, 'true']);
    const second = await say(id, 'and to four');
    await given(id, second);
    await writeFile(fileOf(id, 'go'), '');
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    const said = await finalMessageOf(id);
    expect(said.match(/Message msg_\w+: count to (?:three|four)|Message msg_\w+: and to four/g)).toEqual([
      `Message ${first}: count to three`,
      `Message ${second}: and to four`,
    ]);
    expect(await messagesOf(id)).toMatchObject([
      { id: first, text: 'count to three', status: 'delivered', attempt: 1, delivered_at: expect.any(String) },
      { id: second, status: 'delivered', attempt: 1, reason: null },
    ]);
  },
);

test('a message to a queued job is part of its prompt, in order', async () => {
  const running = await startWaiting('one-at-a-time');
  const id = await createJob(service, { prompt: 'drill: wait 0', profile: 'one-at-a-time' });
  const first = await say(id, 'count to three');
  const second = await say(id, 'and to four');
  expect(await messagesOf(id)).toMatchObject([{ status: 'pending', delivered_at: null }, { status: 'pending' }]);
  await writeFile(fileOf(running, 'go'), '');
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  const { json: result } = await service.api('GET', `/jobs/${id}/result`);
  expect(result.composed_prompt).toBe(
    `drill: wait 0\n\nMessage ${first}:\ncount to three\n\nMessage ${second}:\nand to four`,
  );
  expect(await messagesOf(id)).toMatchObject([
    { status: 'delivered', attempt: 1 },
    { status: 'delivered', attempt: 1 },
  ]);
});

test('a message to an agent that reads none while it runs waits for the next attempt', async () => {
  const id = await startWaiting('codex-exec');
  const message = await say(id, 'count to three');
  await service.api('POST', `/jobs/${id}/kill`);
  expect(await untilEnded(service, id)).toMatchObject({ status: 'CANCELLED' });
  const told = await waitFor(async () => {
    const items = await messagesOf(id);
    return items[0].status !== 'pending' && items;
  });
  expect(told).toMatchObject([{ id: message, status: 'not_delivered', reason: 'the job was cancelled' }]);
});

test('undelivered messages become the next turns in order, except those with only_now', async () => {
  const id = await startWaiting('codex-exec');
  await say(id, 'drill: recall');
  await say(id, 'stop', { only_now: true });
  await say(id, 'count to three');
  await writeFile(fileOf(id, 'go'), '');
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  const items = await waitFor(async () => {
    const all: { status: string; next_job_id: string }[] = await messagesOf(id);
    return all.every(({ status }) => status !== 'pending') && all;
  });
  const missed = { status: 'not_delivered', reason: expect.stringContaining('takes no messages') };
  const becameTurn = { ...missed, next_job_id: expect.stringMatching(/^job_/) };
  expect(items).toMatchObject([becameTurn, { ...missed, next_job_id: null }, becameTurn]);
  const thread = await waitFor(async () => {
    const { json } = await service.api('GET', `/jobs?thread=${id}`);
    const items: { id: string; turn: number | null }[] = json.items;
    // A job is stored before it gets its turn.
    return items.length === 3 && items.every(({ turn }) => turn !== null) && items;
  });
  const turns = thread.toSorted((a, b) => Number(a.turn) - Number(b.turn)).map((turn) => turn.id);
  expect(turns).toEqual([id, items[0]?.next_job_id, items[2]?.next_job_id]);
  for (const turn of turns) expect(await untilEnded(service, turn)).toMatchObject({ status: 'SUCCEEDED' });
  expect(await finalMessageOf(turns[1] ?? '')).toContain('drill: tool touch up');
  const { json: job } = await service.api('GET', `/jobs/${turns[1]}`);
  expect(job).toMatchObject({ continues: id, prompt: 'drill: recall', profile: 'codex-exec' });
});

test('drafts and ended jobs reject messages, and an attempt from the prompt gets all earlier ones', async () => {
  const prompt = 'drill: tool touch up; while [ ! -e go ]; do sleep 0.05; done\ndrill: fail 400';
  const id = await createJob(service, { prompt, profile: 'practice', draft: true });
  expect(await service.api('POST', `/jobs/${id}/messages`, { text: 'hello' })).toMatchObject({
    status: 400,
    json: { details: { state: 'DRAFT', action: 'message', use: 'submit' } },
  });
  await service.api('POST', `/jobs/${id}/submit`);
  await fileAppears(fileOf(id, 'up'));
  const message = await say(id, 'count to three');
  await given(id, message);
  await writeFile(fileOf(id, 'go'), '');
  expect(await untilEnded(service, id)).toMatchObject({ status: 'FAILED' });
  expect(await service.api('POST', `/jobs/${id}/messages`, { text: 'hello' })).toMatchObject({
    status: 400,
    json: { details: { state: 'FAILED', action: 'message', use: 'continue' } },
  });
  expect(await messagesOf(id)).toMatchObject([{ id: message }]);
  await service.api('POST', `/jobs/${id}/retry`);
  expect(await untilEnded(service, id)).toMatchObject({ attempt: 2 });
  const { json } = await service.api('GET', `/jobs/${id}/result`);
  expect(json.composed_prompt).toBe(`${prompt}\n\nMessage ${message}:\ncount to three`);
});

test('texts that are empty or too long, and jobs of the shell, are rejected', async () => {
  const id = await createJob(service, { prompt: 'sleep 60', profile: 'shell' });
  const send = async (body: unknown) => await service.api('POST', `/jobs/${id}/messages`, body);
  for (const text of ['', ' \n', 'ä'.repeat(16_385)]) {
    const { status, json } = await send({ text });
    expect([status, json.error]).toEqual([400, expect.stringContaining('text')]);
  }
  expect(await send({ text: 'hello' })).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining('shell') },
  });
  expect((await service.api('POST', '/jobs/job_unknown/messages', { text: 'hello' })).status).toBe(404);
  await service.api('POST', `/jobs/${id}/kill`);
});
