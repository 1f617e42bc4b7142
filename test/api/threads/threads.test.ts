import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { amount } from '../../vitest/amount.ts';
import { damageSession } from '../damage-session.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;

beforeAll(async () => {
  service = await sharedService();
  const profiles = [
    { name: 'claude-practice', agent: 'claude', vendor: 'practice' },
    { name: 'forgetful', agent: 'codex', vendor: 'practice', resume: 'never' },
  ];
  const { status, text } = await service.api('POST', '/config/import', { profiles });
  expect([status, text]).toEqual([200, expect.anything()]);
});

async function jobOf(id: string) {
  return (await service.api('GET', `/jobs/${id}`)).json;
}

async function answerOf(id: string): Promise<string> {
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  return (await service.api('GET', `/jobs/${id}/result`)).json.final_message;
}

const next = async (id: string, prompt: string, more: Record<string, unknown> = {}) =>
  await createJob(service, { prompt, continue: id, ...more });

/** A shell job that runs until it is let go. */
function held(name: string) {
  const [up, go] = [join(service.home, `threads-${name}-up`), join(service.home, `threads-${name}-go`)];
  return {
    prompt: `touch ${up}; while [ ! -e ${go} ]; do sleep 0.1; done`,
    isUp: () => existsSync(up),
    open: async () => await writeFile(go, ''),
  };
}

const shell = async (prompt: string, more: Record<string, unknown> = {}) =>
  await createJob(service, { prompt, profile: 'shell', ...more });

async function stateOf(id: string): Promise<string> {
  const { status, state_reason } = (await service.api('GET', `/jobs/${id}/status`)).json;
  return `${status} ${state_reason.code}`;
}

/** For the real claude, each commit has a test in `claude-job.test.ts`. */
const profiles = amount(['practice'], ['practice', 'claude-practice']);

describe('the agent of a continued job', () => {
  test.each(profiles)('%s knows the turns before, which are billed once', async (profile) => {
    const first = await createJob(service, { prompt: `first of ${profile}\ndrill: spend 1000 1`, profile });
    await untilEnded(service, first);
    const second = await next(first, `second of ${profile}\ndrill: recall`);
    const answer = await answerOf(second);
    expect(answer).toContain(`first of ${profile}`);
    expect(answer).toContain(`second of ${profile}`);
    const third = await next(second, `third of ${profile}\ndrill: spend 1000 1`);
    await untilEnded(service, third);
    const [one, three] = await Promise.all([first, third].map(jobOf));
    expect(three).toMatchObject({ thread_id: first, turn: 3, continues: second, warnings: [], profile });
    expect(three.session_id).toBe(one.session_id);
    const tokens = ({ usage }: { usage: { input_tokens: number; output_tokens: number } }) => usage.output_tokens;
    expect(tokens(three)).toBe(tokens(one));
    const [turn] = (await service.api('GET', `/jobs?thread=${first}&order=oldest&limit=1`)).json.items;
    expect(turn).toMatchObject({ id: first, thread_id: first, turn: 1, continues: null });
  });

  test("gets the record of earlier turns if its session can't be continued", async () => {
    const first = await createJob(service, { prompt: 'the first prompt' });
    const said = await answerOf(first);
    const second = await next(first, 'the second prompt\ndrill: recall', { fresh_folder: true });
    const answer = await answerOf(second);
    for (const text of ['the first prompt', said.split('\n')[0], 'the second prompt']) expect(answer).toContain(text);
    const job = await jobOf(second);
    expect(job.warnings).toEqual(['session: of the thread not continued: its working folder was another one']);
    const never = await next(first, 'the third prompt\ndrill: recall', { profile: 'forgetful' });
    expect(await answerOf(never)).toContain('the first prompt');
  });

  test('gets the record of earlier turns after the CLI has refused its session once', async () => {
    const first = await createJob(service, { prompt: 'the first prompt' });
    const said = await answerOf(first);
    await damageSession(service.home, (await jobOf(first)).session_id);
    const second = await next(first, 'the second prompt\ndrill: recall');
    const answer = await answerOf(second);
    for (const text of ['the first prompt', said.split('\n')[0], 'the second prompt']) expect(answer).toContain(text);
    expect(await jobOf(second)).toMatchObject({ attempt: 2, retries: 0, session_id: expect.any(String) });
    expect((await jobOf(second)).warnings).toEqual([expect.stringMatching(/^session_refused: /)]);
    // Its own session is sound.
    const third = await next(second, 'the third prompt\ndrill: recall');
    expect(await answerOf(third)).toContain('the second prompt');
    expect(await jobOf(third)).toMatchObject({ attempt: 1, warnings: [] });
  });
});

describe('a thread of scripts', () => {
  test('has one folder, and each turn starts after the success of the one before', async () => {
    const gate = held('order');
    const first = await shell(`${gate.prompt}; echo one >>notes`);
    const second = await next(first, 'echo two >>notes');
    const third = await next(first, 'cat notes');
    await waitFor(() => gate.isUp());
    await waitFor(async () => (await stateOf(third)) === 'QUEUED waiting_for_thread');
    expect((await jobOf(second)).state_reason.message).toContain(first);
    expect((await jobOf(third)).queue).toMatchObject({ held_by: [second] });
    await gate.open();
    await untilEnded(service, third);
    expect((await service.api('GET', `/jobs/${third}/logs`)).json.stdout).toBe('one\ntwo\n');
    const { items, total } = (await service.api('GET', `/jobs?thread=${first}`)).json;
    expect([items.map(({ id }: { id: string }) => id), total]).toEqual([[third, second, first], 3]);
    const folders = await readdir(join(service.home, 'workspaces', 'local_project'));
    expect(folders).toContain(first);
    expect(folders).not.toContain(second);
  });

  test('shows its agents the same paths in all attempts', async () => {
    const prompt = 'echo "$HOME $TMPDIR $PROMPTQ_ATTACHMENTS $PWD"';
    const first = await shell(prompt);
    await untilEnded(service, first);
    const second = await next(first, prompt);
    await untilEnded(service, second);
    expect((await service.api('POST', `/jobs/${second}/retry`)).status).toBe(200);
    await untilEnded(service, second);
    const shown = async (id: string) => (await service.api('GET', `/jobs/${id}/logs`)).json.stdout;
    expect(await shown(second)).toBe(await shown(first));
    expect(await shown(first)).toContain(`attempts/${first}/attachments`);
  });

  test("rejects a job that can't be continued, with the reason", async () => {
    const draft = await shell('true', { draft: true });
    const post = async (body: unknown) => await service.api('POST', '/jobs', body);
    const ofDraft = await post({ prompt: 'true', continue: draft });
    expect([ofDraft.status, ofDraft.json.details]).toEqual([
      400,
      { state: 'DRAFT', action: 'continue', use: 'submit' },
    ]);
    const first = await shell('true');
    for (const [body, says] of [
      [{ continue: 'job_nothing' }, 'there is no job of this id'],
      [{ continue: first, profile: 'practice' }, 'the thread has the agent shell'],
      [{ fresh_folder: true }, 'is only for a job with continue'],
      [{ continue_after: 'any' }, 'is only for a job with continue'],
    ] as const) {
      const answer = await post({ prompt: 'true', ...body });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(says)]);
    }
    const key = { prompt: 'true', continue: first, idempotency_key: 'turn' };
    expect((await post(key)).json.id).toBe((await post(key)).json.id);
    expect((await service.api('GET', `/jobs?thread=${first}`)).json.total).toBe(2);
    expect((await service.api('GET', `/jobs?thread=${first}&search=x`)).status).toBe(400);
  });
});
