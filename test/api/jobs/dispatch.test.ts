import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_CONCURRENCY: '8' } });
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

async function linesOf(file: string): Promise<string[]> {
  return existsSync(file) ? (await readFile(file, 'utf8')).trim().split('\n') : [];
}

it('forty jobs created at once run exactly once each in eight slots', async () => {
  const ran = join(service.home, 'forty-ran');
  const names = Array.from({ length: 40 }, (_, n) => `job-${n}`);
  const ids = await Promise.all(
    names.map((name) => createJob(service, { prompt: `echo ${name} >> ${ran}; sleep 0.05`, profile: 'shell' })),
  );
  expect(new Set(ids).size).toBe(40);
  for (const id of ids) expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  expect((await linesOf(ran)).sort()).toEqual(names.sort());
});

it('twenty creates with one idempotency key at once give one job that runs once', async () => {
  const ran = join(service.home, 'one-ran');
  const body = { prompt: `echo ran >> ${ran}`, profile: 'shell', idempotency_key: 'one' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => service.api('POST', '/jobs', body)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  const [id, ...others] = new Set(answers.map(({ json }) => json.id));
  expect(others).toEqual([]);
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') !== 'true')).toHaveLength(1);
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  // Jobs that were behind it in the queue have run too: no second message of it can still be waiting for its turn.
  await untilEnded(service, await createJob(service, { prompt: 'true', profile: 'shell' }));
  expect(await linesOf(ran)).toEqual(['ran']);
});

it('waiting jobs of a project start by their edited priority, then by age', async () => {
  const [started, ran] = [join(service.home, 'started'), join(service.home, 'ordered-ran')];
  const gate = (name: string) => join(service.home, `gate-${name}`);
  const filler = (name: string) => `echo ${name} >> ${started}; while [ ! -e ${gate(name)} ]; do sleep 0.2; done`;
  const fillers = ['one', 'rest', 'rest', 'rest', 'rest', 'rest', 'rest', 'rest'];
  for (const name of fillers)
    await createJob(service, { prompt: filler(name), profile: 'shell', project: 'fillers', priority: 9 });
  await waitFor(async () => (await linesOf(started)).length === 8);

  const jobs = new Map<string, string>();
  const create = async (name: string, priority: number) =>
    jobs.set(
      name,
      await createJob(service, { prompt: `echo ${name} >> ${ran}`, profile: 'shell', project: 'ordered', priority }),
    );
  for (const [name, priority] of [
    ['low-1', -4],
    ['normal-1', 0],
    ['high-4', 1],
    ['high-2', 3],
    ['high-3', 3],
    ['low-2', -4],
    ['normal-2', 0],
    ['low-0', -1],
    ['edited', -1],
  ] as const)
    await create(name, priority);
  expect((await service.api('PATCH', `/jobs/${jobs.get('edited')}`, { priority: 8 })).status).toBe(200);

  // One slot becomes free; the others stay taken, so that jobs start one after the other.
  await writeFile(gate('one'), '');
  for (const id of jobs.values())
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  expect(await linesOf(ran)).toEqual([
    'edited',
    ...['high-2', 'high-3', 'high-4'],
    ...['normal-1', 'normal-2'],
    ...['low-0', 'low-1', 'low-2'],
  ]);
  await writeFile(gate('rest'), '');
});
