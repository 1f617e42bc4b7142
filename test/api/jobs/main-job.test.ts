import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

describe('a job on the default profile', () => {
  it('runs the real codex CLI and keeps its events, session, usage and files', async () => {
    const id = await createJob(service, { prompt: 'drill: tool echo hi > made.txt' });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    const { json: result } = await service.api('GET', `/jobs/${id}/result`);
    const events = result.stdout
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    expect(events.find(({ id }: { id?: string }) => id === 'thread').result.thread.id).toBe(result.session_id);
    const totals = events.findLast(({ method }: { method?: string }) => method === 'thread/tokenUsage/updated').params
      .tokenUsage.total;
    expect(totals.inputTokens).toBe(result.usage.input_tokens);
    expect(events.at(-1)).toMatchObject({ method: 'turn/completed', params: { turn: { status: 'completed' } } });
    expect(result).toMatchObject({
      exit_code: 0,
      composed_prompt: 'drill: tool echo hi > made.txt',
      stdout_truncated: false,
    });
    expect(result.final_message).not.toBe('');
    const made = join(service.home, 'workspaces', 'local_project', id, 'work', 'made.txt');
    expect(await readFile(made, 'utf8')).toBe('hi\n');
  });

  it("fails with the agent's message about its vendor's failure", async () => {
    const id = await createJob(service, { prompt: 'drill: fail 500' });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'FAILED', state_reason: { code: 'agent_error' } });
    const { json: result } = await service.api('GET', `/jobs/${id}/result`);
    const failed = result.stdout.split('\n').find((line: string) => line.includes('turn/completed'));
    expect(result).toMatchObject({ exit_code: 0, error: JSON.parse(failed).params.turn.error.message });
  });

  it("fails with the vendor's own message if the agent passes it on", async () => {
    const id = await createJob(service, { prompt: 'drill: fail 400' });
    await untilEnded(service, id);
    const { json: job } = await service.api('GET', `/jobs/${id}`);
    expect(job.error).toContain('The practice vendor fails as asked (400)');
    const { json: list } = await service.api('GET', '/jobs?limit=1');
    expect(list.items).toMatchObject([{ id, state_reason: job.state_reason, exit_code: 0 }]);
    expect(job.state_reason.message).toContain(job.error);
  });
});

describe('output', () => {
  it('can be read while the job runs, and continues where the last read ended', async () => {
    const gate = join(service.home, 'gate');
    const prompt = `printf 'first\\n'; while [ ! -e ${gate} ]; do sleep 0.05; done; printf 'second\\n'`;
    const id = await createJob(service, { prompt, profile: 'shell' });
    const early = await waitFor(async () => {
      const { json } = await service.api('GET', `/jobs/${id}/logs?stream=stdout&offset=0`);
      return json.stdout === '' ? undefined : json;
    });
    expect(early).toMatchObject({ status: 'RUNNING', stdout: 'first\n', next_offset: 6 });
    await service.api('POST', '/jobs', { prompt: `touch ${gate}`, profile: 'shell' });
    await untilEnded(service, id);
    const { json: late } = await service.api('GET', `/jobs/${id}/logs?stream=stdout&offset=${early.next_offset}`);
    expect(late).toMatchObject({ status: 'SUCCEEDED', stdout: 'second\n', next_offset: 13 });
  });

  it('can be read in parts of a given size, split between characters', async () => {
    const id = await createJob(service, { prompt: "printf 'zwölf\\n'; printf oops >&2", profile: 'shell' });
    await untilEnded(service, id);
    const read = async (query: string) => (await service.api('GET', `/jobs/${id}/logs?${query}`)).json;
    const part = await read('stream=stdout&offset=1&limit=5');
    expect(part).toMatchObject({ stdout: 'wölf', next_offset: 6, stdout_truncated: true });
    expect(await read('stream=stdout&offset=1&limit=4')).toMatchObject({ stdout: 'wöl', next_offset: 5 });
    expect(await read('limit=4')).toMatchObject({ stdout: 'lf\n', stderr: 'oops', next_offset: null });
  });

  it('keeps the streams apart, byte for byte, and never splits a character', async () => {
    const id = await createJob(service, {
      prompt: "printf 'out \\xff \\u20ac'; printf 'err' >&2; exit 3",
      profile: 'shell',
    });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'FAILED', state_reason: { code: 'exited' } });
    const { json } = await service.api('GET', `/jobs/${id}/result`);
    expect(json).toMatchObject({
      exit_code: 3,
      stdout: 'out \uFFFD \u20ac',
      stderr: 'err',
      stdout_bytes: 9,
      stderr_bytes: 3,
    });
    expect((await service.api('GET', `/jobs/${id}/logs?stream=stdout&offset=6`)).json.stdout).toBe('\u20ac');
  });

  it('is limited unless all of it is requested', async () => {
    const id = await createJob(service, {
      prompt: 'head -c 12000000 /dev/zero | tr "\\0" x; printf end',
      profile: 'shell',
    });
    await untilEnded(service, id);
    const [bounded, logs, full] = await Promise.all([
      service.api('GET', `/jobs/${id}/result`),
      service.api('GET', `/jobs/${id}/logs`),
      service.api('GET', `/jobs/${id}/result?full=1`),
    ]);
    expect(bounded.json.stdout).toHaveLength(10 * 1024 * 1024);
    expect(bounded.json.stdout.endsWith('end')).toBe(true);
    expect(bounded.json).toMatchObject({ stdout_truncated: true, stdout_bytes: 12_000_003 });
    expect(logs.json.stdout).toHaveLength(1024 * 1024);
    expect(full.json.stdout).toHaveLength(12_000_003);
    expect(full.json.stdout_truncated).toBe(false);
  });
});

it('an agent gets no variables of its worker', async () => {
  const id = await createJob(service, { prompt: 'env | cut -d= -f1 | sort', profile: 'shell' });
  await untilEnded(service, id);
  const { json } = await service.api('GET', `/jobs/${id}/result`);
  const names = json.stdout.trim().split('\n');
  expect(names).toEqual(expect.arrayContaining(['HOME', 'PATH', 'PROMPTQ_ATTEMPT']));
  expect(names.filter((name: string) => /AWS|TABLE|QUEUE|BUCKET|KEY|TOKEN|PRACTICE/.test(name))).toEqual([]);
});

it('a job that runs longer than its timeout fails with that reason', async () => {
  const id = await createJob(service, { prompt: 'sleep 60', profile: 'shell', timeout: 0.3 });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'FAILED', state_reason: { code: 'timed_out' } });
});

it('the status can be waited for', async () => {
  const id = await createJob(service, { prompt: 'true', profile: 'shell' });
  const seen = [];
  for (let status = 'QUEUED'; status !== 'SUCCEEDED'; ) {
    const { json } = await service.api('GET', `/jobs/${id}/status?wait=25`);
    status = json.status;
    seen.push(status);
  }
  expect(seen.length).toBeLessThanOrEqual(3);
});
