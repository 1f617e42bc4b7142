import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { findMarkedAs } from '../../local-run/marked-processes.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { ASKING, importAsking } from '../follow-up-script.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

type State = 'DRAFT' | 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

/** A job that waits for a vendor's account, which is never linked. */
let parked: Promise<string> | undefined;
async function untilParked(): Promise<string> {
  const id = await createJob(service, { prompt: 'exit 1', profile: 'codex' });
  await waitFor(async () => (await status(id)).state_reason.code === 'account_required');
  return id;
}

/** Creates a job in a state; QUEUED ones are later turns of the thread of one that never starts again. */
const MAKE: Record<State, () => Promise<string>> = {
  DRAFT: () => createJob(service, { prompt: 'true', profile: 'shell', draft: true }),
  QUEUED: async () => {
    parked ??= untilParked();
    return await createJob(service, { prompt: 'exit 1', continue: await parked, retries: 100 });
  },
  RUNNING: async () => {
    const id = await createJob(service, { prompt: 'sleep 300', profile: 'shell' });
    await waitFor(async () => (await status(id)).status === 'RUNNING');
    return id;
  },
  SUCCEEDED: () => ended('true'),
  FAILED: () => ended('false'),
  CANCELLED: async () => {
    const id = await MAKE.DRAFT();
    await service.api('POST', `/jobs/${id}/cancel`);
    return id;
  },
};

async function status(id: string) {
  return (await service.api('GET', `/jobs/${id}/status`)).json;
}

async function ended(prompt: string): Promise<string> {
  const id = await createJob(service, { prompt, profile: 'shell' });
  await untilEnded(service, id);
  return id;
}

/** The result of each action in each state: the state that the response shows, or 400. */
const TABLE: Record<string, Record<State, State | 400>> = {
  submit: { DRAFT: 'QUEUED', QUEUED: 400, RUNNING: 400, SUCCEEDED: 400, FAILED: 400, CANCELLED: 400 },
  cancel: {
    DRAFT: 'CANCELLED',
    QUEUED: 'CANCELLED',
    RUNNING: 'RUNNING',
    SUCCEEDED: 400,
    FAILED: 400,
    CANCELLED: 'CANCELLED',
  },
  kill: { DRAFT: 400, QUEUED: 400, RUNNING: 'RUNNING', SUCCEEDED: 400, FAILED: 400, CANCELLED: 400 },
  retry: { DRAFT: 400, QUEUED: 400, RUNNING: 400, SUCCEEDED: 'QUEUED', FAILED: 'QUEUED', CANCELLED: 'QUEUED' },
  patch: { DRAFT: 400, QUEUED: 'QUEUED', RUNNING: 400, SUCCEEDED: 400, FAILED: 400, CANCELLED: 400 },
};

function act(action: string, id: string) {
  if (action === 'patch') return service.api('PATCH', `/jobs/${id}`, { extra_prompt: 'more' });
  return service.api('POST', `/jobs/${id}/${action}`);
}

/** What an error calls an action. */
const WORDS: Record<string, string> = { patch: 'edit' };

async function expectResult(action: string, state: State, expected: State | 400, id: string): Promise<void> {
  const { status: code, json } = await act(action, id);
  if (expected !== 400) return expect([code, json.id, json.status], action).toEqual([200, id, expected]);
  expect([code, json.details], action).toEqual([400, { state, action: WORDS[action] ?? action }]);
  expect(json.error).toContain(state);
}

describe.for(Object.keys(MAKE) as State[])('a %s job', (state) => {
  const results = Object.entries(TABLE).map(([action, row]) => [action, row[state]] as const);
  const remains = (expected: State | 400) => expected === 400 || (expected === state && state !== 'RUNNING');
  const end = async (id: string) => {
    if (!(await status(id)).terminal) await service.api('POST', `/jobs/${id}/cancel`);
  };

  const last = results.find(([, expected]) => !remains(expected));

  it(`stays as it is after its invalid actions, until ${last?.[0]}`, async () => {
    const id = await MAKE[state]();
    for (const [action, expected] of results.filter((result) => remains(result[1]))) {
      await expectResult(action, state, expected, id);
      expect((await status(id)).status, action).toBe(state);
    }
    if (last !== undefined) await expectResult(last[0], state, last[1], id);
    await end(id);
  });
});

describe('of an unknown job', () => {
  for (const [method, path] of [
    ['POST', 'fly'],
    ['DELETE', ''],
  ] as const) {
    it(`${method} ${path} is job_not_found`, async () => {
      const { status: code, json } = await service.api(method, `/jobs/nope${path && `/${path}`}`);
      expect([code, json.error]).toEqual([404, 'job_not_found']);
    });
  }

  it('an unknown action of a known job is an invalid action', async () => {
    const { status: code, json } = await service.api('POST', `/jobs/${await MAKE.DRAFT()}/fly`);
    expect([code, json.error]).toEqual([400, 'invalid action']);
  });
});

describe('ending a running job', () => {
  it('a cancel ends tools that ignore it and hide, and then the job is CANCELLED', async () => {
    const file = join(service.home, 'actions-hidden');
    const hidden = `trap '' TERM INT HUP; echo up >> ${file}; while :; do sleep 1; done`;
    const id = await createJob(service, {
      prompt: `drill: tool (setsid bash -c "${hidden}" &) ; (setsid setsid bash -c "${hidden}" &) ; sleep 300`,
    });
    const mark = `${id}/1`;
    await waitFor(() => findMarkedAs(mark).length >= 4);
    const { json } = await service.api('POST', `/jobs/${id}/cancel`);
    expect(json).toMatchObject({
      status: 'RUNNING',
      state_reason: { code: 'cancelling' },
      cancel_requested_at: expect.any(String),
    });
    expect(await untilEnded(service, id)).toMatchObject({
      status: 'CANCELLED',
      state_reason: { code: 'cancelled_by_request' },
    });
    expect(findMarkedAs(mark)).toEqual([]);
  });

  it('a kill gives no time to clean up', async () => {
    const id = await createJob(service, { prompt: "trap '' TERM INT; sleep 300 & wait", profile: 'shell' });
    await waitFor(() => findMarkedAs(`${id}/1`).length > 0);
    await service.api('POST', `/jobs/${id}/kill`);
    expect(await untilEnded(service, id)).toMatchObject({
      status: 'CANCELLED',
      state_reason: { code: 'killed_by_request' },
    });
    expect((await service.api('GET', `/jobs/${id}`)).json.signal).toBe('SIGKILL');
    expect(findMarkedAs(`${id}/1`)).toEqual([]);
  });

  it('an accepted kill cancels a job that succeeds before its worker reads the request', async () => {
    const go = join(service.home, 'actions-go');
    const block = '```follow-up-job\\n{"prompt":"true","profile":"shell"}\\n```\\n';
    const prompt = `until [ -e ${go} ]; do sleep 0.02; done; printf '${block}'`;
    await importAsking(service);
    const id = await createJob(service, { prompt, profile: ASKING });
    await waitFor(() => findMarkedAs(`${id}/1`).length > 0);
    const { status: code, json } = await service.api('POST', `/jobs/${id}/kill`);
    await writeFile(go, '');
    expect([code, json.status, json.state_reason.code]).toEqual([200, 'RUNNING', 'cancelling']);
    expect(await untilEnded(service, id)).toMatchObject({
      status: 'CANCELLED',
      state_reason: { code: 'killed_by_request' },
    });
    // A reread finds the block in the output, and creates no job from it.
    const { json: reread } = await service.api('POST', `/jobs/${id}/reread-logs`);
    expect(reread).toMatchObject({ status: 'CANCELLED', follow_up_ids: [], recovered_follow_up_ids: [] });
  });

  it('a success ends the processes that its agent left behind', async () => {
    const id = await createJob(service, { prompt: 'drill: orphan' });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    expect(findMarkedAs(`${id}/1`)).toEqual([]);
  });
});

describe('a retry', () => {
  it('runs the same job again, and keeps the output of the first attempt', async () => {
    const flag = join(service.home, 'actions-second-time');
    const id = await ended(`if [ -e ${flag} ]; then echo good; else touch ${flag}; echo bad; exit 1; fi`);
    expect((await status(id)).status).toBe('FAILED');
    await service.api('POST', `/jobs/${id}/retry`);
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
    const log = async (query: string) =>
      (await service.api('GET', `/jobs/${id}/logs?stream=stdout${query}`)).json.stdout;
    expect([await log('&attempt=1'), await log('&attempt=2'), await log('')]).toEqual(['bad\n', 'good\n', 'good\n']);
    expect((await service.api('GET', `/jobs/${id}/logs?attempt=3`)).json.error).toBe(
      "query.attempt: received 3; the job's newest attempt is 2",
    );
  });

  it('is automatic after a failure if retries are left, with a pause that the job shows', async () => {
    const flag = join(service.home, 'actions-good-now');
    const id = await createJob(service, {
      prompt: `if [ -e ${flag} ]; then echo good; else exit 7; fi`,
      profile: 'shell',
      retries: 100,
    });
    const waiting = await waitFor(async () => {
      const now = await status(id);
      return now.state_reason.code === 'retry_backoff' && now;
    });
    expect(waiting).toMatchObject({
      status: 'QUEUED',
      state_reason: { retryable: true, next_check_at: expect.any(String) },
    });
    await writeFile(flag, '');
    const now = await untilEnded(service, id);
    expect(now.status).toBe('SUCCEEDED');
    expect(now.attempt).toBeGreaterThan(1);
  });
});

describe('an edit', () => {
  it('changes the named fields only, by both methods', async () => {
    const id = await MAKE.QUEUED();
    const patched = await service.api('PATCH', `/jobs/${id}`, { priority: 3, base_prompt: 'exit 2', timeout: null });
    expect(patched.json).toMatchObject({
      priority: 3,
      prompt: 'exit 2',
      retries: 100,
      profile: 'codex',
      timeout: null,
    });
    const read = (await service.api('GET', `/jobs/${id}`)).json;
    const put = await service.api('PUT', `/jobs/${id}`, { ...read, extra_prompt: 'echo more', timeout: 60 });
    expect(put.json).toMatchObject({ extra_prompt: 'echo more', timeout: 60, priority: 3, prompt: 'exit 2' });
    const wrong = await service.api('PUT', `/jobs/${id}`, { ...put.json, created_by: 'me' });
    expect([wrong.status, wrong.json.error]).toEqual([
      400,
      expect.stringMatching(/^body\.created_by: can't be edited/),
    ]);
    expect((await service.api('PATCH', `/jobs/${id}`, { id })).json.error).toMatch(/^body: unknown "id"/);
    await service.api('POST', `/jobs/${id}/cancel`);
  });

  it('is rejected for the state of its job before its body is validated', async () => {
    const id = await MAKE.DRAFT();
    const { status, json } = await service.api('PATCH', `/jobs/${id}`, { profile: 'nowhere' });
    expect([status, json.error]).toEqual([400, expect.stringContaining('only while it is QUEUED')]);
  });

  it('keeps all fields of concurrent edits', async () => {
    const id = await MAKE.QUEUED();
    await Promise.all([
      service.api('PATCH', `/jobs/${id}`, { extra_prompt: 'echo extra' }),
      service.api('PATCH', `/jobs/${id}`, { prompt: 'exit 5' }),
      service.api('PATCH', `/jobs/${id}`, { model: 'm' }),
    ]);
    expect((await service.api('GET', `/jobs/${id}`)).json).toMatchObject({
      extra_prompt: 'echo extra',
      prompt: 'exit 5',
      model: 'm',
    });
    await service.api('POST', `/jobs/${id}/cancel`);
  });
});
