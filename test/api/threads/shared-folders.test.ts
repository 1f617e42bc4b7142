import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobIdOf } from '../../../lib/jobs/lifecycle/cause.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { amount } from '../../vitest/amount.ts';
import { ASKING, asking, importAsking } from '../follow-up-script.ts';
import { createJob, idOfKey, untilEnded } from '../job-client.ts';

let service: OwnService;
let gates: string;
beforeAll(async () => {
  // Without reconcile-jobs: whatever frees a folder wakes the next job.
  service = await startService({ env: { PROMPTQ_CONCURRENCY: '4', PROMPTQ_WATCH_SECONDS: '3600' } });
  await importAsking(service);
  gates = join(service.home, 'gates');
  await mkdir(gates);
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const read = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;
const open = async (gate: string) => await writeFile(join(gates, gate), '');
const folderOf = (id: string, project = 'local_project') => join(service.home, 'workspaces', project, id, 'work');

/** A script that runs until its gate is opened, and records if another one runs in its folder. */
const alone = (gate: string) =>
  `mkdir busy || echo ${gate} >> overlaps; while [ ! -e ${join(gates, gate)} ]; do sleep 0.05; done; rmdir busy`;

/** The gates of follow-up jobs. */
const gateOf = new Map<string, string>();
const openFor = async (id: string) => await open(gateOf.get(id) ?? expect.fail(`${id} has no gate`));

/** A job that has ended, with a follow-up job for each gate: the one that runs, then the other. */
async function withFollowUps(...followUps: readonly string[]): Promise<{ parent: string; children: string[] }> {
  const parent = await createJob(service, {
    prompt: asking(...followUps.map((gate) => ({ prompt: alone(gate), profile: 'shell' }))),
    profile: ASKING,
  });
  await untilEnded(service, parent);
  const children = await waitFor(async () => {
    const { follow_up_ids: ids } = await read(parent);
    return ids.length === followUps.length && (ids as string[]);
  });
  for (const [n, id] of children.entries()) gateOf.set(id, followUps[n] ?? '');
  // Slots claim both at the same time.
  const running: string = await waitFor(async () => {
    const jobs = await Promise.all(children.map(read));
    return jobs.find(({ status }) => status === 'RUNNING')?.id;
  });
  return { parent, children: [running, ...children.filter((id) => id !== running)] };
}

async function untilRunning(id: string): Promise<void> {
  await waitFor(async () => (await read(id)).status === 'RUNNING');
}

/** Waits until a job waits for its folder, which another one has. */
async function untilBehind(id: string, holder: string): Promise<void> {
  await waitFor(async () => (await read(id)).state_reason.code === 'folder_busy');
  const { state_reason, queue } = await read(id);
  expect(state_reason).toMatchObject({
    message: `Another job works in the same folder. This job starts when the folder is free. It waits for ${holder}.`,
    retryable: true,
  });
  expect(queue).toMatchObject({ held_by: [holder] });
}

async function expectNoOverlap(owner: string, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  expect(existsSync(join(folderOf(owner), 'overlaps'))).toBe(false);
}

test('follow-up jobs, a turn and a retry in one folder run one at a time', async () => {
  const { parent, children } = await withFollowUps('first', 'second');
  const [first = '', second = ''] = children;
  await untilRunning(first);
  await untilBehind(second, first);
  const turn = await createJob(service, { continue: parent, prompt: alone('turn'), profile: 'shell' });
  await untilBehind(turn, first);
  await openFor(first);
  await untilRunning(second);
  await untilBehind(turn, second);
  await openFor(second);
  await untilRunning(turn);
  expect((await service.api('POST', `/jobs/${first}/retry`)).status).toBe(200);
  await untilBehind(first, turn);
  await open('turn');
  await expectNoOverlap(parent, first, second, turn);
});

test('a retry of the job that owns the folder waits for its follow-up job', async () => {
  const { parent, children } = await withFollowUps('held');
  const [child = ''] = children;
  await untilRunning(child);
  expect((await service.api('POST', `/jobs/${parent}/retry`)).status).toBe(200);
  await untilBehind(parent, child);
  await open('held');
  await expectNoOverlap(parent, child, parent);
});

test.for(amount(['kill'], ['cancel', 'kill']))('%s of the job in the folder starts the next', async (action) => {
  const { children } = await withFollowUps(`${action}-first`, `${action}-second`);
  const [first = '', second = ''] = children;
  await untilRunning(first);
  await untilBehind(second, first);
  expect((await service.api('POST', `/jobs/${first}/${action}`)).status).toBe(200);
  expect(await untilEnded(service, first)).toMatchObject({ status: 'CANCELLED' });
  await untilRunning(second);
  await openFor(second);
  expect(await untilEnded(service, second)).toMatchObject({ status: 'SUCCEEDED' });
});

test('a fork copies the folder while no follow-up job works there', async () => {
  const { parent, children } = await withFollowUps('before-the-copy');
  const [child = ''] = children;
  await untilRunning(child);
  const fork = await createJob(service, { fork: parent, prompt: 'ls', profile: 'shell' });
  await untilBehind(fork, child);
  await open('before-the-copy');
  expect(await untilEnded(service, fork)).toMatchObject({ status: 'SUCCEEDED' });
  expect((await service.api('GET', `/jobs/${fork}/result`)).json.stdout).toBe('');
});

/** A job whose agent starts jobs in its folder, and then runs a command. */
async function starting(key: string, prompts: readonly string[], command: string) {
  const parent = idOfKey(service, key);
  const uses = prompts.map((prompt, n) => {
    const wanted = { prompt: `drill: tool ${prompt}`, cwd: '.', key: String(n) };
    return `drill: use create_job ${JSON.stringify(wanted)}`;
  });
  const prompt = [...uses, `drill: tool ${command}`].join('\n');
  expect(await createJob(service, { prompt, idempotency_key: key })).toBe(parent);
  return { parent, children: prompts.map((_, n) => jobIdOf({ kind: 'tool', job: parent, round: 0, key: String(n) })) };
}

const untilThere = (...names: readonly string[]) =>
  names.map((name) => `while [ ! -e ${name} ]; do sleep 0.05; done`).join('; ');

test('jobs that an agent starts in its folder run beside it, one at a time', async () => {
  const { parent, children } = await starting(
    'waits for its children',
    [`${untilThere('go')}; touch one`, 'if [ -e one ]; then touch two; fi'],
    untilThere('one', 'two'),
  );
  const [first = '', second = ''] = children;
  await untilRunning(first);
  await untilBehind(second, first);
  expect(await read(parent)).toMatchObject({ status: 'RUNNING' });
  await writeFile(join(folderOf(parent), 'go'), '');
  for (const id of [parent, first, second])
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
});

test('a turn waits for a job that an agent started in the folder, and outlives it', async () => {
  const { parent, children } = await starting('leaves a child behind', [untilThere('go')], 'true');
  const [child = ''] = children;
  expect(await untilEnded(service, parent)).toMatchObject({ status: 'SUCCEEDED' });
  await untilRunning(child);
  const turn = await createJob(service, { continue: parent, prompt: 'drill: tool ls' });
  await untilBehind(turn, child);
  await writeFile(join(folderOf(parent), 'go'), '');
  expect(await untilEnded(service, turn)).toMatchObject({ status: 'SUCCEEDED' });
});

test("a follow-up job waits for the commands of its parent's bindings", async () => {
  const record = join(gates, 'record');
  const command = `echo begin >> ${record}; while [ ! -e ${join(gates, 'deployed')} ]; do sleep 0.05; done; echo end >> ${record}`;
  const binding = { binding_mode: 'custom', project: 'deployed', command };
  expect((await service.api('POST', '/deploy-bindings', binding)).status).toBe(201);
  const prompt = `if [ ! -e made ]; then touch made; ${asking({ prompt: `echo child >> ${record}` })}fi`;
  const parent = await createJob(service, { prompt, profile: ASKING, project: 'deployed' });
  const [child = ''] = await waitFor(async () => {
    const { follow_up_ids: ids } = await read(parent);
    return ids.length > 0 && (ids as string[]);
  });
  await untilBehind(child, parent);
  await open('deployed');
  expect(await untilEnded(service, child)).toMatchObject({ status: 'SUCCEEDED' });
  expect((await readFile(record, 'utf8')).split('\n').slice(0, 3)).toEqual(['begin', 'end', 'child']);
});
