import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob, untilEnded } from '../api/job-client.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';
import { findWorker } from '../local-run/marked-processes.ts';
import { amount } from '../vitest/amount.ts';

let service: OwnService;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-gates-'));
  const env = { PROMPTQ_ANSWER_WAIT_SECONDS: '10', PROMPTQ_WATCH_SECONDS: '2', PROMPTQ_CONCURRENCY: '8' };
  service = await startService({ env });
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await rm(folder, { recursive: true, force: true });
});

const read = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;
const questionOf = async (id: string) => (await read(id)).question;
const promptOf = async (id: string) => (await service.api('GET', `/jobs/${id}/result`)).json.composed_prompt;

async function answer(id: string): Promise<void> {
  const { id: question_id } = await questionOf(id);
  const { status } = await service.api('POST', `/jobs/${id}/answers`, { question_id, answer: 'blue' });
  expect(status).toBe(200);
}

async function untilAsked(id: string): Promise<void> {
  await waitFor(async () => (await questionOf(id)) !== null);
}

async function untilParked(id: string): Promise<void> {
  await waitFor(async () => {
    const { status, state_reason } = await read(id);
    return status === 'QUEUED' && state_reason.code === 'question';
  });
}

/** A tool call that ends once the gates are open. */
const gate = (name: string) =>
  `drill: tool touch ${join(folder, name)}; while [ ! -e ${join(folder, 'go')} ]; do sleep 0.1; done`;
const untilAt = async (name: string) => await waitFor(() => existsSync(join(folder, name)));

/** Where questions are when their worker is killed. */
const STEPS = amount(['resumed', 'waiting', 'late'], ['parked', 'resumed', 'told', 'waiting', 'overtaken', 'late']);

const ANSWERED = 'You asked:\n\nWhich color?\n\nThe answer:\n\nblue';

test('a question outlives its worker at each of its steps', { timeout: 300_000 }, async () => {
  /** The job of a step; none if the step is not tried. */
  const create = async (step: string, ...lines: string[]) =>
    STEPS.includes(step) ? [await createJob(service, { prompt: lines.join('\n') })] : [];
  const parked = await create('parked', 'drill: ask Which color?');
  // The first attempt is ended at its gate, the second one reaches the next.
  const resumed = await create('resumed', 'drill: ask Which color?', gate('asked'), gate('resumed'));
  await Promise.all([...parked, ...resumed].map(untilParked));
  for (const id of resumed) {
    await answer(id);
    await untilAt('resumed');
  }
  const told = await create('told', 'drill: ask Which color?', gate('told'));
  if (told.length > 0) await untilAt('told');
  const waiting = await create('waiting', 'drill: ask Which color?');
  const overtaken = await create('overtaken', 'drill: ask Which color?');
  const withDefault = { question: 'Which color?', default: 'gray', deadline_seconds: 30 };
  const late = await create('late', `drill: use ask_human ${JSON.stringify(withDefault)}`);
  await Promise.all([...waiting, ...overtaken, ...late].map(untilAsked));

  const worker = await waitFor(() => findWorker(service.home));
  process.kill(worker, 'SIGKILL');
  for (const id of overtaken) await answer(id);
  await writeFile(join(folder, 'go'), '');

  // The next attempt continues with the answer, or with the default.
  for (const [ids, attempt, text] of [
    [overtaken, 2, ANSWERED],
    [resumed, 3, ANSWERED],
    [late, 2, 'gray'],
  ] as const)
    for (const id of ids) {
      expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt });
      expect(await promptOf(id)).toContain(text);
    }
  for (const id of late) expect(await questionOf(id)).toMatchObject({ state: 'expired' });
  // What still is to be answered waits for it, without a worker.
  for (const id of [...parked, ...told, ...waiting]) {
    await untilParked(id);
    expect(await read(id)).toMatchObject({ attempt: 1, worker_id: null, question: { state: 'open' } });
    await answer(id);
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
    expect(await promptOf(id)).toContain(ANSWERED);
  }
  const { items } = (await service.api('GET', '/jobs?needs=answer')).json;
  expect(items).toEqual([]);
});
