import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { metricsIn, type PrintedLine, readLines } from '../../local-run/captured-lines.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

/** Has the form of our tokens, but is none. */
const NO_TOKEN = `pq_${randomBytes(24).toString('hex')}`;
const SECRET = `secret-${randomBytes(12).toString('hex')}`;

let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_SECRET_DEPLOY_KEY: SECRET } });
});
afterAll(async () => await service.stop());

/** The finished lines of a log: the last one may be half written. */
const linesOf = async (log: 'api' | 'worker') => {
  const written = await readFile(join(service.home, 'logs', `${log}.log`), 'utf8');
  return readLines(written.slice(0, written.lastIndexOf('\n') + 1));
};
const isMetric = (line: PrintedLine) => '_aws' in line;

it('each log line of a request is JSON with request and job ids, and without tokens', async () => {
  const id = await createJob(service, { prompt: 'true', profile: 'shell', draft: true });
  const answers = [
    await service.api('GET', `/jobs/${id}`),
    await service.api('GET', `/jobs/${NO_TOKEN}`),
    await service.api('GET', `/jobs?search=${NO_TOKEN}`, undefined, { authorization: `Bearer ${NO_TOKEN}` }),
    await service.api('DELETE', '/nowhere'),
    await service.api('POST', '/jobs', { prompt: 'x', [NO_TOKEN]: 1 }),
    await service.api('GET', '/auth/../../auth/sign-in'),
  ];
  const lines = (await linesOf('api')).filter((line) => !isMetric(line));
  for (const line of lines) {
    expect(JSON.stringify(line)).not.toContain(NO_TOKEN);
    // Node's own warnings, on a busy machine, belong to no request.
    if ('text' in line) continue;
    expect(line).toMatchObject({
      level: expect.any(String),
      message: expect.any(String),
      timestamp: expect.any(String),
    });
    expect(line).toMatchObject({ service: expect.stringMatching(/^promptq-/), request_id: expect.any(String) });
  }
  const told = answers.map((answer) => {
    const of = lines.filter(({ request_id }) => request_id === answer.headers.get('x-request-id'));
    expect(of).toHaveLength(1);
    return of[0];
  });
  expect(told.slice(0, 2)).toEqual([
    expect.objectContaining({ route: 'jobs.read', status: 200, job_id: id, principal: expect.any(String) }),
    expect.not.objectContaining({ job_id: expect.anything() }),
  ]);
  expect(lines).toContainEqual(expect.objectContaining({ route: 'jobs.create', status: 201, job_id: id }));
});

it('each log line of a worker is JSON with worker, job and attempt, and without secrets', async () => {
  await service.api('POST', '/config/import', {
    profiles: [{ name: 'keyed', agent: 'shell', env: { KEY: { secret: 'DEPLOY_KEY' } } }],
  });
  const id = await createJob(service, { prompt: 'echo $KEY; exit 3', profile: 'keyed' });
  await untilEnded(service, id);
  const isEnd = ({ message }: PrintedLine) => message === 'attempt ended';
  // It is logged after the write, so that a reader may see the job earlier.
  const lines = await waitFor(async () => {
    const all = (await linesOf('worker')).filter((line) => !isMetric(line));
    return all.some(isEnd) && all;
  });
  const worker = (await service.api('GET', '/environment')).json.hosts[0].worker_id;
  for (const line of lines) {
    expect(line).toMatchObject({ level: expect.any(String), message: expect.any(String), service: 'promptq-worker' });
    expect(line).toMatchObject({ worker_id: worker });
    expect(JSON.stringify(line)).not.toContain(SECRET);
  }
  expect(lines.filter(isEnd)).toEqual([expect.objectContaining({ job_id: id, attempt: 1, status: 'FAILED' })]);
});

it("the function that reads the stream logs each job's outcome once", async () => {
  const id = await createJob(service, { prompt: 'true', profile: 'shell' });
  await untilEnded(service, id);
  const metrics = await waitFor(async () => {
    const found = metricsIn(await linesOf('api'));
    return found.JobsSucceeded !== undefined && found;
  });
  expect(metrics).toMatchObject({ JobsSucceeded: [1], JobsFailed: [1] });
  expect(metrics.RunTime).toHaveLength(2);
  expect(metrics.QueueWait).toHaveLength(2);
  expect(Object.keys(metrics).sort()).toEqual(['JobsFailed', 'JobsSucceeded', 'QueueWait', 'RunTime']);
});

it('a worker that fails to start logs the reason as JSON', async () => {
  const program = fileURLToPath(new URL('../../../worker-container/main.ts', import.meta.url));
  const worker = spawn(process.execPath, [program], { env: { PROMPTQ_TIMEOUT_UNIT: SECRET } });
  const [out, errors, [code]] = await Promise.all([text(worker.stdout), text(worker.stderr), once(worker, 'close')]);
  expect(code).toBe(1);
  expect(readLines(out + errors)).toEqual([
    expect.objectContaining({
      level: 'CRITICAL',
      worker_id: expect.any(String),
      error: expect.objectContaining({ message: expect.stringContaining('PROMPTQ_TIMEOUT_UNIT') }),
    }),
  ]);
  expect(out + errors).not.toContain(SECRET);
});
