import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { startReceiver } from '../catalog/webhook-receiver.ts';
import { createJob, untilEnded } from '../job-client.ts';

/** What happens to a thread of four turns if something happens in its middle: one row of the table is one test. */

let service: ServiceUnderTest;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
  receiver = await startReceiver(() => [204]);
  service = await sharedService();
});
afterAll(async () => {
  await receiver.stop();
});

const post = async (path: string, body: unknown = {}) => await service.api('POST', path, body);
const jobOf = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;
const outputOf = async (id: string) => (await service.api('GET', `/jobs/${id}/logs`)).json.stdout;

/** A command that runs until it is let go. */
function held(name: string) {
  const [up, go] = [join(service.home, `middle-${name}-up`), join(service.home, `middle-${name}-go`)];
  return {
    command: `touch ${up}; while [ ! -e ${go} ]; do sleep 0.1; done`,
    isUp: async () => await waitFor(() => existsSync(up)),
    open: async () => await writeFile(go, ''),
  };
}

/** Turns of a new thread with these prompts. The first one ends once all others are waiting. */
async function thread(prompts: readonly string[], more: Record<string, unknown> = {}): Promise<string[]> {
  const gate = held(`thread-${randomUUID()}`);
  const [prompt, ...later] = prompts;
  const first = await createJob(service, { prompt: `${gate.command}; ${prompt}`, profile: 'shell', ...more });
  const ids = [first];
  for (const next of later) ids.push(await createJob(service, { prompt: next, continue: first }));
  await gate.open();
  return ids;
}

async function stateOf(id: string): Promise<string> {
  const { status, state_reason } = (await service.api('GET', `/jobs/${id}/status`)).json;
  return `${status} ${state_reason.code}`;
}

/** Waits until the turns are in these states. */
async function untilStates(ids: readonly string[], ...states: string[]): Promise<void> {
  let awaited = 0;
  await waitFor(async () => {
    // The one that was awaited last comes first: most polls need no other.
    for (const at of [...ids.keys()].map((step) => (awaited + step) % ids.length))
      if ((await stateOf(String(ids[at]))) !== states[at]) {
        awaited = at;
        return false;
      }
    return true;
  }).catch(async () => expect(await Promise.all(ids.map(stateOf))).toEqual(states));
}

const DONE = 'SUCCEEDED exited';
const RUNS = 'RUNNING running';
const WAITS = 'QUEUED waiting_for_thread';
const STOPPED = 'QUEUED thread_stopped';
const note = (text: string) => `echo ${text} >>notes; cat notes`;

describe('in the middle of a thread of four turns', () => {
  test('retry: a failed turn keeps the others waiting, succeeds in its old place, and is then followed by them', async () => {
    const ids = await thread([
      note('one'),
      '[ -e again ] || { touch again; exit 3; }; echo two >>notes',
      note('three'),
      note('four'),
    ]);
    await untilStates(ids, DONE, 'FAILED exited', STOPPED, WAITS);
    expect((await post(`/jobs/${ids[1]}/retry`)).status).toBe(200);
    await untilStates(ids, DONE, DONE, DONE, DONE);
    expect(await outputOf(String(ids[3]))).toBe('one\ntwo\nthree\nfour\n');
    const refused = await post(`/jobs/${ids[1]}/retry`);
    expect([refused.status, refused.json.details]).toEqual([400, { state: 'SUCCEEDED', action: 'retry', use: 'fork' }]);
  });

  test('cancel: the next turn waits for a person, who releases it', async () => {
    const gate = held('cancel');
    const ids = await thread(['true', gate.command, 'true', 'true']);
    await gate.isUp();
    expect((await post(`/jobs/${ids[1]}/cancel`)).status).toBe(200);
    await untilStates(ids, DONE, 'CANCELLED cancelled_by_request', STOPPED, WAITS);
    expect((await post(`/jobs/${ids[2]}/submit`)).status).toBe(200);
    await untilStates(ids, DONE, 'CANCELLED cancelled_by_request', DONE, DONE);
  });

  test('kill: only a turn that continues after any end starts', async () => {
    const gate = held('kill');
    const ids = await thread(['true', `trap "" TERM INT; ${gate.command}`, 'true']);
    ids.push(await createJob(service, { prompt: 'true', continue: ids[0], continue_after: 'any' }));
    await gate.isUp();
    expect((await post(`/jobs/${ids[1]}/kill`)).status).toBe(200);
    await untilStates(ids, DONE, 'CANCELLED killed_by_request', STOPPED, WAITS);
    expect((await service.api('DELETE', `/jobs/${ids[2]}`)).status).toBe(200);
    await untilStates(ids, DONE, 'CANCELLED killed_by_request', 'CANCELLED cancelled_by_request', DONE);
  });

  test('delete: a turn that waits is cancelled, and stops the thread at its place', async () => {
    const gate = held('delete');
    const ids = await thread([gate.command, 'true', 'true', 'true']);
    await gate.isUp();
    expect((await service.api('DELETE', `/jobs/${ids[1]}`)).json.status).toBe('CANCELLED');
    await untilStates(ids, RUNS, 'CANCELLED cancelled_by_request', WAITS, WAITS);
    await gate.open();
    await untilStates(ids, DONE, 'CANCELLED cancelled_by_request', STOPPED, WAITS);
    expect((await jobOf(String(ids[2]))).state_reason.message).toContain(ids[1]);
    expect((await post(`/jobs/${ids[1]}/retry`)).status).toBe(200);
    await untilStates(ids, DONE, DONE, DONE, DONE);
  });

  test('edit: a turn that waits is changed in its place', async () => {
    const gate = held('edit');
    const ids = await thread([gate.command, note('two'), note('three'), note('four')]);
    expect((await service.api('PATCH', `/jobs/${ids[2]}`, { prompt: note('edited'), priority: 9 })).status).toBe(200);
    await gate.open();
    await untilStates(ids, DONE, DONE, DONE, DONE);
    expect(await outputOf(String(ids[3]))).toBe('two\nedited\nfour\n');
  });

  test('draft: it has no turn and keeps nobody waiting, until it is submitted', async () => {
    const gate = held('draft');
    const [first = ''] = await thread([gate.command]);
    const draft = await createJob(service, { prompt: note('draft'), continue: first, draft: true });
    expect(await jobOf(draft)).toMatchObject({ status: 'DRAFT', thread_id: first, turn: null, continues: first });
    const ids = [first, await createJob(service, { prompt: note('two'), continue: first })];
    ids.push(await createJob(service, { prompt: note('three'), continue: first }));
    await gate.open();
    await untilStates(ids, DONE, DONE, DONE);
    expect((await post(`/jobs/${draft}/submit`)).status).toBe(200);
    await untilStates([...ids, draft], DONE, DONE, DONE, DONE);
    expect(await jobOf(draft)).toMatchObject({ turn: 4 });
    expect(await outputOf(draft)).toBe('two\nthree\ndraft\n');
  });

  test('fork: the newest turn that has begun is copied, and its folder stays unchanged', async () => {
    const failing = '[ -e again ] || { touch again; exit 3; }';
    const ids = await thread([note('one'), `${note('two')}; ${failing}`, note('three'), note('four')]);
    await untilStates(ids, DONE, 'FAILED exited', STOPPED, WAITS);
    const fork = await createJob(service, { prompt: note('forked'), fork: ids[1] });
    expect(await untilEnded(service, fork)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await outputOf(fork)).toBe('one\ntwo\nforked\n');
    expect(await jobOf(fork)).toMatchObject({ forked_from: ids[1] });
    const refused = await post('/jobs', { prompt: 'true', fork: ids[0] });
    expect([refused.status, refused.json.details]).toMatchObject([400, { state: 'SUCCEEDED', action: 'fork' }]);
    expect(await readFile(join(service.home, 'workspaces/local_project', String(ids[0]), 'work/notes'), 'utf8')).toBe(
      'one\ntwo\n',
    );
    expect((await post(`/jobs/${ids[1]}/retry`)).status).toBe(200);
    await untilStates(ids, DONE, DONE, DONE, DONE);
    expect(await outputOf(String(ids[3]))).toBe('one\ntwo\ntwo\nthree\nfour\n');
  });

  test('binding: commands act when the thread is idle after a success, calls after each success', async () => {
    const [gate, command] = [held('bound'), held('command')];
    const ids = await thread([note('one'), `${gate.command}; ${note('two')}`, 'true', note('four')], {
      project: 'bound',
    });
    await gate.isUp();
    const bind = async (body: Record<string, unknown>) => await post('/deploy-bindings', { project: 'bound', ...body });
    expect((await bind({ binding_mode: 'generic', target_url: `${receiver.url}/ok` })).status).toBe(201);
    expect((await bind({ binding_mode: 'custom', command: `${command.command}; cat notes` })).status).toBe(201);
    expect((await service.api('DELETE', `/jobs/${ids[2]}`)).status).toBe(200);
    await gate.open();
    // The thread waits for a person, so that the command of its last success acts.
    await command.isUp();
    await untilStates(ids, DONE, DONE, 'CANCELLED cancelled_by_request', STOPPED);
    const refused = await post(`/jobs/${ids[1]}/retry`);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('works in its folder')]);
    expect((await post(`/jobs/${ids[3]}/submit`)).status).toBe(200);
    const fifth = await createJob(service, { prompt: note('five'), continue: ids[0] });
    await waitFor(async () => (await jobOf(String(ids[3]))).state_reason.message.includes(ids[1]));
    await command.open();
    await untilStates([...ids.slice(2), fifth], 'CANCELLED cancelled_by_request', DONE, DONE);
    const deployed = async (id = '') =>
      Object.fromEntries(
        (await jobOf(id)).deployments.map(({ mode, state }: { mode: string; state: string }) => [mode, state]),
      );
    await waitFor(async () => (await deployed(fifth)).custom === 'succeeded');
    const [last] = (await jobOf(fifth)).deployments.filter(({ mode }: { mode: string }) => mode === 'custom');
    expect(last.log).toContain('one\ntwo\nfour\nfive\n');
    await waitFor(async () => (await deployed(ids[3])).custom === 'skipped');
    for (const id of [ids[1], ids[3], fifth]) await waitFor(async () => (await deployed(id)).generic === 'delivered');
    expect(await deployed(ids[1])).toMatchObject({ custom: 'succeeded' });
    expect(receiver.to('/ok')).toHaveLength(3);
  });
});
