import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HotProjects } from '../../../../lib/stats/counting/hot-projects.ts';
import { spreadProject } from '../../../../lib/stats/counting/spread-project.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const START = Date.parse('2026-11-20T10:00:00.000Z');

it.each<[name: string, counts: (readonly [seconds: number, jobs: number])[], isHot: boolean]>([
  [
    'two counts within a minute',
    [
      [0, 0],
      [60, 60_000],
    ],
    true,
  ],
  [
    'two counts more than a minute apart',
    [
      [0, 0],
      [61, 61_000],
    ],
    false,
  ],
  [
    'two counts less than five seconds apart',
    [
      [0, 0],
      [4, 4_000],
    ],
    false,
  ],
  [
    'five seconds of 250 jobs each',
    [
      [0, 1_000],
      [5, 2_250],
    ],
    true,
  ],
  [
    'five seconds of fewer jobs',
    [
      [0, 1_000],
      [5, 2_249],
    ],
    false,
  ],
  ['the first count alone', [[0, 1_000_000]], false],
  [
    'a count that passes over one too soon',
    [
      [0, 0],
      [4, 2_000],
      [5, 2_000],
    ],
    true,
  ],
  [
    'a slow time since the last count, after a fast one',
    [
      [0, 0],
      [61, 61_000],
      [66, 61_100],
    ],
    false,
  ],
])('%s: a project is hot or not', async (name, counts, isHot) => {
  const { projects, registry, projectSettings } = deployment;
  const { id } = await projects.resolve(name);
  const hot = new HotProjects(registry);
  for (const [seconds, jobs] of counts) {
    const active_at = new Date(START + 1_000 * seconds).toISOString();
    await hot.note({ id, active_at, n_QUEUED: jobs - 100, n_RUNNING: 100, t_in: 1_000_000 * seconds });
  }
  expect(await projectSettings.isSpread(id)).toBe(isHot);
});

it.each([
  ['a process remembers a thousand projects', 999, true],
  ['a process forgets them before it remembers one more', 1_000, false],
])('%s: after the counts of %i others', async (name, others, isHot) => {
  const { projects, registry, projectSettings } = deployment;
  const { id } = await projects.resolve(name);
  const hot = new HotProjects(registry);
  const at = (seconds: number) => ({ active_at: new Date(START + 1_000 * seconds).toISOString() });
  await hot.note({ id, ...at(0), n_QUEUED: 0 });
  for (let other = 0; other < others; other += 1) await hot.note({ id: `other-${other}`, ...at(0), n_QUEUED: 0 });
  await hot.note({ id, ...at(10), n_QUEUED: 10_000 });
  expect(await projectSettings.isSpread(id)).toBe(isHot);
});

it('a project stays hot since when it first was, one that is gone is not brought back, and no time is no count', async () => {
  const { projects, registry, table, env } = deployment;
  const { id } = await projects.resolve('first');
  for (const [project, since] of [
    [id, 0],
    [id, 10],
    ['gone', 0],
  ] as const) {
    const hot = new HotProjects(registry);
    await hot.note({ id: project });
    for (const seconds of [since, since + 5]) {
      const active_at = new Date(START + 1_000 * seconds).toISOString();
      await hot.note({ id: project, active_at, n_QUEUED: 1_000 * seconds });
    }
  }
  const read = async (Key: { kind: string; id: string }) =>
    (await table.send(new GetCommand({ TableName: env.REGISTRY_TABLE, Key }))).Item;
  expect(await read({ kind: 'project', id })).toMatchObject({ spread_at: '2026-11-20T10:00:05.000Z' });
  expect(await read({ kind: 'project', id: 'gone' })).toBeUndefined();
});

it('a mark that could not be written is an error', async () => {
  const error = new Error('out of reach');
  const table = { send: () => Promise.reject(error) } as unknown as EmulatedDeployment['table'];
  await expect(spreadProject({ ...deployment.registry, table }, 'any', 'now')).rejects.toBe(error);
});
