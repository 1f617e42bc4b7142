import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { amount } from '../../vitest/amount.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;

beforeAll(async () => {
  service = await sharedService();
  const profiles = [
    { name: 'claude-practice', agent: 'claude', vendor: 'practice' },
    { name: 'forgetful', agent: 'codex', vendor: 'practice', resume: 'never' },
    { name: 'single', agent: 'shell', concurrency: 1 },
  ];
  const { status, text } = await service.api('POST', '/config/import', { profiles });
  expect([status, text]).toEqual([200, expect.anything()]);
});

const jobOf = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;
const fork = async (id: string, prompt: string, more: Record<string, unknown> = {}) =>
  await createJob(service, { prompt, fork: id, ...more });
const next = async (id: string, prompt: string, more: Record<string, unknown> = {}) =>
  await createJob(service, { prompt, continue: id, ...more });
const shell = async (prompt: string, more: Record<string, unknown> = {}) =>
  await createJob(service, { prompt, profile: 'shell', ...more });
const folderOf = (id: string) => join(service.home, 'workspaces', 'local_project', id, 'work');
const outputOf = async (id: string) => {
  await untilEnded(service, id);
  return (await service.api('GET', `/jobs/${id}/logs`)).json.stdout;
};

async function answerOf(id: string): Promise<string> {
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  return (await service.api('GET', `/jobs/${id}/result`)).json.final_message;
}

/** Content, modes, times and links of a folder. */
function stateOf(folder: string): string {
  return execFileSync(
    'bash',
    ['-c', 'find . -printf "%p %y %m %T@ %s %l\\n" | sort; find . -type f -print0 | sort -z | xargs -0 cat'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
}

/** A shell job that runs until it is let go. */
function held(name: string) {
  const [up, go] = [join(service.home, `forks-${name}-up`), join(service.home, `forks-${name}-go`)];
  return {
    prompt: `touch ${up}; while [ ! -e ${go} ]; do sleep 0.1; done`,
    isUp: () => existsSync(up),
    open: async () => await writeFile(go, ''),
  };
}

describe('the agent of a fork', () => {
  test.each(amount(['practice'], ['practice', 'claude-practice']))(
    '%s knows the turns before, and each is billed once',
    async (profile) => {
      const spend = 'drill: spend 1000 1';
      const first = await createJob(service, { prompt: `first of ${profile}\n${spend}`, profile, tags: ['kept'] });
      await untilEnded(service, first);
      const forked = await fork(first, `second of ${profile}\n${spend}`);
      await untilEnded(service, forked);
      const last = await next(forked, `third of ${profile}\n${spend}`);
      const other = await next(first, `other of ${profile}\n${spend}`);
      await untilEnded(service, last);
      const again = await fork(last, `again of ${profile}\ndrill: recall`);
      const answer = await answerOf(again);
      for (const turn of ['first', 'second', 'third', 'again']) expect(answer).toContain(`${turn} of ${profile}`);
      expect(answer).not.toContain('other of');
      await untilEnded(service, other);
      const jobs = await Promise.all([first, forked, last, other].map(jobOf));
      const tokens = jobs.map(({ usage }) => usage.output_tokens);
      expect(tokens).toEqual(Array(4).fill(tokens[0]));
      expect(jobs[1]).toMatchObject({ thread_id: forked, turn: 1, continues: null, forked_from: first, warnings: [] });
      expect(jobs[1]).toMatchObject({ profile, tags: ['kept'], cwd: null, session_id: jobs[0].session_id });
      expect(jobs[2]).toMatchObject({ thread_id: forked, turn: 2, forked_from: null });
      const session = (await service.api('GET', `/jobs/${again}/session`)).text;
      expect(session).toContain(folderOf(again));
      for (const id of [first, forked]) expect(session).not.toContain(folderOf(id));
    },
  );
});

describe('the folder of a fork', () => {
  test('is a copy, so neither thread changes the files of the other', async () => {
    const first = await shell(`mkdir -p deep/er; echo one >deep/er/notes; chmod 750 deep; chmod 640 deep/er/notes
      ln -s deep/er/notes near; ln -s $PWD/deep/er/notes far; ln -s /etc/passwd out; mkfifo pipe; printf x >$'odd\\nname'`);
    await untilEnded(service, first);
    const before = stateOf(folderOf(first));
    const forked = await fork(
      first,
      'echo two >>far; stat -c %a deep deep/er/notes; readlink out; cat near; ls; [ -p pipe ]',
    );
    expect(await outputOf(forked)).toBe('750\n640\n/etc/passwd\none\ntwo\ndeep\nfar\nnear\nodd\nname\nout\npipe\n');
    expect(await jobOf(forked)).toMatchObject({ status: 'SUCCEEDED' });
    expect(stateOf(folderOf(first))).toBe(before);
    const copy = stateOf(folderOf(forked));
    expect(await outputOf(await next(first, 'echo three >>near; cat near'))).toBe('one\nthree\n');
    expect(stateOf(folderOf(forked))).toBe(copy);
    expect(await outputOf(await next(forked, 'cat near'))).toBe('one\ntwo\n');
    const names = await readdir(join(service.home, 'workspaces', 'local_project'));
    expect(names.filter((name) => name.startsWith(forked))).toEqual([forked]);
  });

  test('is copied before the next turn of the forked thread starts, and a retry waits too', async () => {
    const first = await shell('echo one >notes');
    await untilEnded(service, first);
    const gate = held('single');
    const busy = await shell(gate.prompt, { profile: 'single' });
    await waitFor(() => gate.isUp());
    const forked = await fork(first, 'cat notes', { profile: 'single' });
    const turn = await next(first, 'echo two >>notes; cat notes');
    const retried = await service.api('POST', `/jobs/${first}/retry`);
    expect(retried.status).toBe(200);
    await waitFor(async () => (await jobOf(first)).queue?.held_by?.[0] === forked);
    expect((await jobOf(first)).state_reason).toMatchObject({
      code: 'waiting_for_thread',
      message: expect.stringContaining(`It waits for ${forked}.`),
    });
    expect((await jobOf(turn)).status).toBe('QUEUED');
    await gate.open();
    await untilEnded(service, busy);
    expect(await outputOf(forked)).toBe('one\n');
    expect(await outputOf(turn)).toBe('one\ntwo\n');
    expect((await jobOf(first)).attempt).toBe(2);
  });

  test('keeps no turn waiting after the fork is cancelled, and a retry of the fork fails with the reason', async () => {
    const first = await shell('echo one >notes');
    await untilEnded(service, first);
    const gate = held('cancelled');
    await shell(gate.prompt, { profile: 'single' });
    await waitFor(() => gate.isUp());
    const forked = await fork(first, 'cat notes', { profile: 'single' });
    const turn = await next(first, 'echo two >>notes');
    await waitFor(async () => (await jobOf(turn)).queue?.held_by?.[0] === forked);
    expect((await service.api('POST', `/jobs/${forked}/cancel`)).status).toBe(200);
    expect(await untilEnded(service, turn)).toMatchObject({ status: 'SUCCEEDED' });
    await gate.open();
    expect((await service.api('POST', `/jobs/${forked}/retry`)).status).toBe(200);
    expect(await untilEnded(service, forked)).toMatchObject({
      status: 'FAILED',
      state_reason: { code: 'start_failed', message: expect.stringContaining(`a later turn that has begun (${turn})`) },
    });
    expect(existsSync(folderOf(forked))).toBe(false);
    const after = await next(forked, 'true', { continue_after: 'any' });
    expect(await untilEnded(service, after)).toMatchObject({
      status: 'FAILED',
      state_reason: { message: expect.stringContaining(`${forked}, a fork, was never copied`) },
    });
  });

  test('has a limit, which the failure names', async () => {
    const first = await shell('truncate -s 11G large');
    await untilEnded(service, first);
    const forked = await fork(first, 'true');
    expect(await untilEnded(service, forked)).toMatchObject({
      status: 'FAILED',
      state_reason: { code: 'start_failed', message: expect.stringContaining('more than 10 GiB') },
    });
    expect(await untilEnded(service, await next(first, 'true'))).toMatchObject({ status: 'SUCCEEDED' });
    await rm(join(folderOf(first), 'large'));
  });
});

describe('a request for a fork', () => {
  const post = async (body: unknown) => await service.api('POST', '/jobs', body);
  const refused = async (id: string) => {
    const { status, json } = await post({ prompt: 'true', fork: id });
    return [status, json.details, json.error];
  };

  test('is rejected for a draft, a job that runs or was continued, and one in a shared folder', async () => {
    const draft = await shell('true', { draft: true });
    expect(await refused(draft)).toEqual([400, { state: 'DRAFT', action: 'fork', use: 'submit' }, expect.anything()]);
    const gate = held('running');
    const first = await shell(gate.prompt);
    await waitFor(() => gate.isUp());
    expect(await refused(first)).toEqual([400, { state: 'RUNNING', action: 'fork' }, expect.stringContaining('runs')]);
    const second = await next(first, 'true');
    expect(await refused(second)).toMatchObject([400, { state: 'QUEUED', action: 'fork' }, expect.anything()]);
    await gate.open();
    await untilEnded(service, second);
    expect(await refused(first)).toEqual([
      400,
      { state: 'SUCCEEDED', action: 'fork' },
      expect.stringContaining(`turn 2 of its thread (${second}) has begun`),
    ]);
    const shared = await shell('true', { cwd: 'shared' });
    await untilEnded(service, shared);
    expect(await refused(shared)).toMatchObject([
      400,
      { state: 'SUCCEEDED', action: 'fork', use: 'continue' },
      expect.anything(),
    ]);
    for (const [more, says] of [
      [{ fork: 'job_nothing' }, 'there is no job of this id'],
      [{ continue: second }, "can't be combined with fork"],
      [{ cwd: 'work' }, "can't be combined with fork"],
      [{ fresh_folder: true }, 'is only for a job with continue'],
      [{ profile: 'practice' }, 'the thread has the agent shell'],
      [{ project: 'other' }, 'a fork stays in'],
    ] as const) {
      const answer = await post({ prompt: 'true', fork: second, ...more });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(says)]);
    }
  });

  test('can be repeated, and can be a draft', async () => {
    const first = await shell('echo one >notes');
    await untilEnded(service, first);
    const key = { prompt: 'cat notes', fork: first, idempotency_key: 'fork' };
    const made = await post(key);
    const draft = await fork(first, 'true', { draft: true });
    expect(await outputOf(made.json.id)).toBe('one\n');
    const edited = await service.api('PATCH', `/jobs/${draft}/draft`, { prompt: 'cat notes; echo draft' });
    expect(edited.status).toBe(200);
    const moved = await service.api('PATCH', `/jobs/${draft}/draft`, { cwd: 'work' });
    expect([moved.status, moved.text]).toEqual([400, expect.stringContaining('a fork works in its copy')]);
    expect((await service.api('POST', `/jobs/${draft}/submit`)).status).toBe(200);
    expect(await outputOf(draft)).toBe('one\ndraft\n');
    await untilEnded(service, await next(first, 'true'));
    expect((await post(key)).json).toEqual({ ...made.json, replayed: true });
    const late = await fork(
      await next(first, 'true').then(async (id) => (await untilEnded(service, id)) && id),
      'true',
    );
    expect(await untilEnded(service, late)).toMatchObject({ status: 'SUCCEEDED' });
  });
});
