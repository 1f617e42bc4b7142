import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { findWorker } from '../../local-run/marked-processes.ts';
import { createJob, untilEnded } from '../job-client.ts';
import { searchKept } from './search-kept.ts';

const ACCOUNT = '/codex-account';

let service: OwnService;
beforeAll(async () => {
  // A probe must not be what starts the job that waits.
  service = await startService({ env: { PROMPTQ_ACCOUNT_PROBE_SECONDS: '3600' } });
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

async function operatorInfo() {
  return JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
}

async function untilState(state: string, timeoutMs = 20_000) {
  return await waitFor(
    async () => {
      const { json } = await service.api('GET', ACCOUNT);
      return json.state === state ? json : undefined;
    },
    { timeoutMs },
  );
}

async function startLogin() {
  expect((await service.api('POST', `${ACCOUNT}/start`)).status).toBe(202);
  return await untilState('awaiting_user');
}

/** What the form of the vendor's page sends. */
async function decide(login: { verification_uri: string; user_code: string }, decision: 'approve' | 'deny') {
  const page = await fetch(login.verification_uri);
  expect(await page.text()).toContain('name="user_code"');
  const body = new URLSearchParams({ user_code: login.user_code, decision });
  expect((await fetch(login.verification_uri, { method: 'POST', body })).status).toBe(200);
}

async function logOut() {
  expect((await service.api('DELETE', ACCOUNT)).json).toMatchObject({ state: 'not_linked', logged_in: false });
  await waitFor(async () => (await credentials()).length === 0);
}

async function credentials(): Promise<string[]> {
  return await readdir(join(service.home, 'account', 'practice', 'codex')).catch(() => []);
}

/** The processes of the CLI that logs in. */
async function loginProcesses(): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    const environ = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (command.includes('--device-auth') && environ.includes(service.home)) found.push(Number(name));
  }
  return found;
}

async function setIssuer(settings: Record<string, unknown>) {
  const { practice_url, practice_key } = await operatorInfo();
  const answer = await fetch(new URL('/practice/issuer', practice_url), {
    method: 'PUT',
    headers: { authorization: `Bearer ${practice_key}` },
    body: JSON.stringify(settings),
  });
  expect(answer.status).toBe(200);
}

describe('a device login', () => {
  it('links the account by the real CLI, starts the waiting jobs, and stores its code nowhere', async () => {
    expect((await service.api('GET', ACCOUNT)).json).toMatchObject({ state: 'not_linked', logged_in: false });
    const job = await createJob(service, { prompt: 'drill: tool echo linked', profile: 'codex' });
    const parked = await waitFor(async () => {
      const { json } = await service.api('GET', `/jobs/${job}`);
      return json.state_reason.code === 'account_required' ? json : undefined;
    });
    expect(parked).toMatchObject({ status: 'QUEUED', attempt: 1 });

    // From before the code is made until after the link, with the hyphen and without.
    const search = await searchKept(service, /(?=([A-Z0-9]{4}-?[A-Z0-9]{5}))/g);
    const login = await startLogin();
    const forms = [login.user_code, login.user_code.replace('-', '')];
    expect(login.verification_uri).toMatch(/\/codex\/device$/);
    expect(login.user_code).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{5}$/);
    expect(Date.parse(login.expires_at) - Date.now()).toBeGreaterThan(13 * 60_000);
    expect((await service.api('POST', `${ACCOUNT}/start`)).json).toMatchObject({ user_code: login.user_code });

    await decide(login, 'approve');
    const linked = await untilState('linked');
    const types = 'account.required,account.linked';
    const told = await waitFor(async () => {
      const { json } = await service.api('GET', `/events?type=${types}`);
      return json.items.length > 1 && json.items;
    });
    expect(told).toMatchObject([
      { type: 'account.required', job_id: null, subject: { kind: 'account', id: 'codex' } },
      { type: 'account.linked', job_id: null, subject: { kind: 'account', id: 'codex', name: 'practice@example.com' } },
    ]);
    expect(linked).toEqual({
      vendor: 'codex',
      state: 'linked',
      logged_in: true,
      account: 'practice@example.com',
      updated_at: linked.updated_at,
    });
    expect(await untilEnded(service, job)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
    expect(await credentials()).toHaveLength(1);
    await logOut();
    for (const form of forms) expect(await search.slotsOf(form)).toEqual([]);
    // It would have been found, also where it was for a while only.
    const planted = join(service.home, 'planted');
    for (const form of forms) {
      await writeFile(planted, `code: ${form}.`);
      expect(await search.slotsOf(form)).toEqual([planted]);
      await rm(planted);
      expect(await search.slotsOf(form)).toEqual([planted]);
    }
    await search.stop();
  });

  it('fails when its process is killed', async () => {
    await startLogin();
    const processes = await loginProcesses();
    expect(processes).not.toEqual([]);
    for (const pid of processes) process.kill(pid, 'SIGKILL');
    expect(await untilState('failed')).toMatchObject({ logged_in: false, error: expect.stringMatching(/\S/) });
  });

  it('fails when its worker is killed, and can be started again', async () => {
    await startLogin();
    process.kill(await waitFor(() => findWorker(service.home)), 'SIGKILL');
    expect(await untilState('failed')).toMatchObject({ error: expect.stringMatching(/start it again/) });
    await startLogin();
    await service.api('POST', `${ACCOUNT}/cancel`);
    await waitFor(async () => (await loginProcesses()).length === 0);
  });

  it('fails with the reason if it is denied', async () => {
    await decide(await startLogin(), 'deny');
    expect(await untilState('failed')).toMatchObject({ logged_in: false, error: expect.stringContaining('denied') });
  });

  it('expires if its code is not entered in time', async () => {
    await setIssuer({ code_seconds: 1 });
    try {
      expect((await service.api('POST', `${ACCOUNT}/start`)).status).toBe(202);
      expect(await untilState('expired')).toMatchObject({ logged_in: false });
    } finally {
      await setIssuer({ code_seconds: 900 });
    }
  });

  it('names the setting to enable if the account does not allow it', async () => {
    await setIssuer({ device_codes: false });
    try {
      await service.api('POST', `${ACCOUNT}/start`);
      expect((await untilState('failed')).error).toContain('security settings');
    } finally {
      await setIssuer({ device_codes: true });
    }
  });

  it('links nothing if it is cancelled and approved afterwards', async () => {
    const login = await startLogin();
    const cancelled = await service.api('POST', `${ACCOUNT}/cancel`);
    expect([cancelled.status, cancelled.json.state]).toEqual([200, 'cancelled']);
    await decide(login, 'approve');
    await waitFor(async () => (await loginProcesses()).length === 0);
    expect((await service.api('GET', ACCOUNT)).json).toMatchObject({ state: 'cancelled', logged_in: false });
    const again = await service.api('POST', `${ACCOUNT}/cancel`);
    expect([again.status, again.json.details]).toEqual([400, { state: 'cancelled', action: 'cancel' }]);
  });
});

describe('two attempts that renew one login at once', () => {
  it('both succeed, the slower by restarting with the renewed login', async () => {
    await decide(await startLogin(), 'approve');
    await untilState('linked');
    const [before] = await credentials();
    const gate = join(service.home, 'gate');
    const jobs = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const prompt = `drill: tool echo $$ > started; while [ ! -e ${gate} ]; do sleep 0.05; done; echo done`;
        const id = await createJob(service, { prompt, profile: 'codex', retries: 0, cwd: name });
        return { id, name };
      }),
    );
    for (const { name } of jobs)
      await waitFor(async () => await readFile(join(service.home, 'workspaces', 'local_project', name, 'started')));
    await endAccess();
    await writeFile(gate, '');
    const ended = await Promise.all(jobs.map(({ id }) => untilEnded(service, id)));
    expect(ended.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    // One of them had to start again, and that alone.
    expect(ended.map(({ attempt }) => attempt).sort()).toEqual([1, 2]);
    const [after, ...more] = await credentials();
    expect(after).not.toBe(before);
    expect(more).toEqual([]);

    await endAccess();
    const next = await createJob(service, { prompt: 'drill: tool echo next', profile: 'codex' });
    expect(await untilEnded(service, next)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    await logOut();
  });
});

async function endAccess() {
  const { practice_url, practice_key } = await operatorInfo();
  const headers = { authorization: `Bearer ${practice_key}` };
  await fetch(new URL('/practice/issuer/end-access', practice_url), { method: 'POST', headers });
}
