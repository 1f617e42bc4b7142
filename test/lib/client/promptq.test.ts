import { beforeAll, describe, expect, test } from 'vitest';
import { RequestError, UnreachableError } from '../../../lib/client/errors.ts';
import type { LogEvent } from '../../../lib/client/log-events.ts';
import { Promptq } from '../../../lib/client/promptq.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { type Faults, startUnreliableProxy } from '../../stand-ins/unreliable-proxy.ts';

let service: ServiceUnderTest;
let promptq: Promptq;
beforeAll(async () => {
  service = await sharedService();
  promptq = new Promptq({ baseUrl: service.baseUrl, token: service.token });
});

const shell = (prompt: string) => ({ profile: 'shell', prompt });

/** Runs work with a client behind a proxy. */
async function behindProxy<T>(
  faults: Faults,
  work: (
    client: Promptq,
    proxy: { requests: readonly string[]; faults: { dropped: number; cut: number } },
  ) => Promise<T>,
): Promise<T> {
  const proxy = await startUnreliableProxy(service.baseUrl, faults);
  try {
    return await work(new Promptq({ baseUrl: proxy.url, token: service.token, retrySeconds: 60 }), proxy);
  } finally {
    await proxy.stop();
  }
}

async function collect(events: AsyncIterable<LogEvent>) {
  const collected = { stdout: '', stderr: '', ends: [] as string[] };
  for await (const event of events)
    if (event.type === 'end') collected.ends.push(`${event.attempt} ${event.status}`);
    else collected[event.stream] += event.text;
  return collected;
}

describe('run', () => {
  test('creates a job, waits for its end and returns its result', async () => {
    const result = await promptq.run(shell('echo hello; exit 3'));
    expect(result).toMatchObject({ status: 'FAILED', exit_code: 3, stdout: 'hello\n' });
  });

  test('makes one job of requests whose answers are lost', async () => {
    await behindProxy({ dropEach: 2 }, async (client, { faults }) => {
      const result = await client.run({ ...shell('echo once'), tags: ['lost-answers'] });
      expect(result.stdout).toBe('once\n');
      expect(faults.dropped).toBeGreaterThan(1);
    });
    expect((await service.api('GET', '/jobs?tag=lost-answers')).json.total).toBe(1);
  });

  test('waits although a proxy cuts off held requests', async () => {
    const script = 'until [ -e go ]; do sleep 0.2; done; echo done';
    const { id } = await promptq.create({ ...shell(script), cwd: 'held' });
    await behindProxy({ cutAfterMs: 1_000 }, async (client, { requests, faults }) => {
      const waiting = client.wait(id);
      await waitFor(() => requests.some((request) => request.endsWith('wait=0')));
      await promptq.run({ ...shell('touch go'), cwd: 'held' });
      expect((await waiting).status).toBe('SUCCEEDED');
      expect(faults.cut).toBeGreaterThan(1);
    });
  });
});

describe('follow', () => {
  test('yields both streams and the end of each attempt', async () => {
    const { id } = await promptq.create({
      ...shell('echo out; echo err >&2; [ -e again ] || { touch again; exit 1; }'),
      retries: 1,
    });
    expect(await collect(promptq.follow(id, { attempt: 1 }))).toEqual({
      stdout: 'out\nout\n',
      stderr: 'err\nerr\n',
      // The next attempt may have begun before the end of the first is seen.
      ends: [expect.stringMatching(/^1 (QUEUED|RUNNING)$/), '2 SUCCEEDED'],
    });
    expect((await collect(promptq.follow(id, { attempt: 1, oneAttempt: true }))).ends).toEqual(['1 SUCCEEDED']);
  });

  test('continues behind the last byte after each lost connection', async () => {
    const { id } = await promptq.create(shell('for i in $(seq 1 100000); do echo "ü $i"; done; echo end >&2'));
    const whole = Array.from({ length: 100_000 }, (_, at) => `ü ${at + 1}\n`).join('');
    await promptq.wait(id);
    await behindProxy({ dropEach: 3, cutAfterBytes: 300_000 }, async (client, { faults }) => {
      const { stdout, stderr, ends } = await collect(client.follow(id));
      expect([stdout === whole, stderr, ends]).toEqual([true, 'end\n', ['1 SUCCEEDED']]);
      expect(faults.cut).toBeGreaterThan(1);
    });
  });

  test('ends with a job that was cancelled before its first attempt', async () => {
    const { id } = await promptq.create({ ...shell('true'), draft: true });
    await promptq.act('cancel', id);
    expect(await collect(promptq.follow(id, { attempt: 1 }))).toEqual({ stdout: '', stderr: '', ends: [] });
    const named = collect(promptq.follow(id, { attempt: 1, oneAttempt: true }));
    await expect(named).rejects.toMatchObject({ name: 'RequestError', status: 400 });
  });

  test('ends with an error if the job does not exist', async () => {
    await expect(collect(promptq.follow('job_none'))).rejects.toMatchObject({ name: 'RequestError', status: 404 });
  });
});

describe('act', () => {
  test('starts one attempt although the answers to the request are lost', async () => {
    const { id } = await promptq.create(shell('true'));
    await promptq.wait(id);
    // Of read, retry, read and retry, the first retry never arrives and the answer to the second one is lost.
    await behindProxy({ dropEach: 2 }, async (client, { requests, faults }) => {
      await client.act('retry', id);
      expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(2);
      expect(faults.dropped).toBeGreaterThan(1);
      await client.wait(id);
    });
    expect((await service.api('GET', `/jobs/${id}`)).json).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  });

  test('refuses what the state of the job does not permit', async () => {
    const { id } = await promptq.create({ ...shell('true'), draft: true });
    await expect(promptq.act('kill', id)).rejects.toThrow('only a running job can be killed');
    expect(await promptq.act('submit', id)).toMatchObject({ id });
  });
});

describe('errors', () => {
  test('of the API have its message, status and request', async () => {
    const error = await promptq.create({ prompt: 'x', timeout: -1 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('timeout') });
    expect((error as RequestError).body.request_id).toMatch(/./);
  });

  test('of an unreachable service are reported when the time for retries is over', async () => {
    const proxy = await startUnreliableProxy(service.baseUrl, {});
    await proxy.stop();
    const client = new Promptq({ baseUrl: proxy.url, token: service.token, retrySeconds: 0.5 });
    await expect(client.create(shell('true'))).rejects.toThrow(UnreachableError);
    await expect(client.wait('job_none')).rejects.toThrow(UnreachableError);
  });

  test.each([429, 503, 502])('with the status %i are retried after the pause that they ask for', async (status) => {
    const refuse = { status, count: 2, headers: { 'retry-after': '0' } };
    await behindProxy({ refuse }, async (client, { requests }) => {
      expect(await client.create({ ...shell('true'), draft: true })).toMatchObject({ id: expect.any(String) });
      expect(requests).toHaveLength(3);
    });
  });

  test('of another server are no answers of the service', async () => {
    await behindProxy({ refuse: { status: 404, count: 1 } }, async (client) => {
      await expect(client.result('job_none')).rejects.toThrow('not of a Promptq service');
    });
  });
});
