import { expect, test } from 'vitest';
import { warmWorkersSchema } from '../../../../lib/platform/config/warm-workers.ts';
import { type Launch, type Scaling, scalingSchema } from '../../../../lib/workers/scaling/launches.ts';
import { type ScaleContext, scaleWorkers } from '../../../../lib/workers/scaling/scale-workers.ts';

const START = Date.parse('2026-11-20T12:00:00.000Z');
const NO_DEMAND = { waiting: 0, running: 0, logins: 0, bindings: 0 };
type Answer = Awaited<ReturnType<ScaleContext['tasks']['run']>>;

/** Scaling whose record, workers and ECS are here. Nothing takes time unless a test says so. */
function scaling(settings: Partial<ScaleContext['settings']> = {}) {
  const state = {
    now: START,
    record: scalingSchema.parse({}) as Scaling,
    /** How often another writer is faster. */
    faster: 0,
    writes: 0,
    changes: 0,
    demand: NO_DEMAND,
    asked: [] as number[],
    workers: [] as { task?: string; build?: string; leaving?: string; running: string[]; isGone?: boolean }[],
    /** What ECS answers to the next calls; then it starts all. */
    answers: [] as (Answer | Error)[],
    runs: [] as Pick<Launch, 'token' | 'provider' | 'count'>[],
    /** Tasks that have ended; an error: ECS doesn't say. */
    ended: new Map<string, string>() as Map<string, string> | Error,
    checked: [] as (readonly string[])[],
    build: 'worker:1' as string | Error,
    told: [] as unknown[],
  };
  let tokens = 0;
  const log = (...[, details]: unknown[]) => void (details instanceof Error && state.told.push(details.message));
  const context: unknown = {
    clock: { now: () => state.now },
    settings: { maxWorkers: 8, concurrency: 2, spotWeight: 0, warmWorkers: warmWorkersSchema.parse({}), ...settings },
    readDemand: async (enough: number) => {
      state.asked.push(enough);
      return state.demand;
    },
    scaling: {
      read: async () => state.record,
      replace: async (_known: Scaling, next: Scaling) => {
        state.faster -= 1;
        if (state.faster >= 0) return undefined;
        state.writes += 1;
        state.record = { ...next, version: next.version + 1 };
        return state.record;
      },
      change: async (update: (known: Scaling) => Scaling) => {
        state.changes += 1;
        state.record = update(state.record);
        return state.record;
      },
    },
    workers: {
      recent: async () => state.workers,
      living: (recent: typeof state.workers) => recent.filter(({ isGone }) => isGone !== true),
    },
    tasks: {
      run: async ({ token, provider, count }: Launch) => {
        state.runs.push({ token, provider, count });
        const answer = state.answers.shift() ?? { tasks: Array.from({ length: count }, (_, n) => `${token}-${n}`) };
        if (answer instanceof Error) throw answer;
        return answer;
      },
      ended: async (tasks: readonly string[]) => {
        state.checked.push(tasks);
        if (state.ended instanceof Error) throw state.ended;
        return state.ended;
      },
    },
    wantedBuild: async () => {
      if (state.build instanceof Error) throw state.build;
      return state.build;
    },
    newToken: () => {
      tokens += 1;
      return `t${tokens}`;
    },
    log: { info: log, warn: log, error: (_line: string, details: object) => state.told.push(details) },
    emitMetrics: (values: object) => state.told.push(values),
  };
  const decide = async (later = 0) => {
    state.now = START + later;
    return await scaleWorkers(context as ScaleContext);
  };
  return { state, decide };
}

test('a decision reads as much work as the most workers do, records its launches before they are made, and then waits', async () => {
  const { state, decide } = scaling();
  state.demand = { ...NO_DEMAND, waiting: 3 };
  expect(await decide()).toEqual({ need: 2, started: 0, launch: 2 });
  expect(state.asked).toEqual([16]);
  expect(state.runs).toEqual([{ token: 't1', provider: 'FARGATE', count: 2 }]);
  expect(state.record.launches).toMatchObject([{ token: 't1', tasks: ['t1-0', 't1-1'] }]);
  expect(await decide()).toEqual({ need: 2, started: 2, launch: 0 });
  expect([state.writes, state.changes, state.runs.length]).toEqual([1, 1, 1]);
});

test('a decision is made again while another writer is faster, six times at most', async () => {
  const { state, decide } = scaling();
  state.demand = { ...NO_DEMAND, waiting: 1 };
  state.faster = 5;
  await decide();
  expect([state.asked.length, state.runs.length]).toEqual([6, 1]);
  state.demand = { ...NO_DEMAND, waiting: 9 };
  state.faster = 6;
  await expect(decide()).rejects.toThrow('another writer was faster every time');
  expect([state.asked.length, state.runs.length]).toEqual([12, 1]);
});

test('without the wanted build, that of the last decision is launched; the first decision needs it', async () => {
  const { state, decide } = scaling();
  state.build = new Error('throttled');
  await expect(decide()).rejects.toThrow('throttled');
  state.build = 'worker:1';
  await decide();
  state.build = new Error('throttled');
  state.demand = { ...NO_DEMAND, waiting: 1 };
  await decide();
  expect(state.record.launches).toMatchObject([{ build: 'worker:1' }]);
  expect(state.told).toEqual(['throttled']);
});

test.each<[string, { build?: string; leaving?: string; isGone?: boolean }, number, number]>([
  ['lives', { build: 'worker:1' }, 2, 1],
  ['is no task', {}, 2, 1],
  ['is outdated', { build: 'worker:0' }, 1, 0],
  ['has been idle for too long', { build: 'worker:1', leaving: 'idle' }, 1, 0],
  ['leaves for a reason of a later version', { leaving: 'moon_phase' }, 1, 0],
  ['is being stopped', { leaving: 'stopped' }, 2, 0],
  ['is gone', { isGone: true }, 2, 0],
])('the work that needs workers, and those that are counted on, if the worker of two jobs %s', async (...row) => {
  const [, worker, need, started] = row;
  const { state, decide } = scaling();
  state.workers = [{ ...worker, running: ['job_1', 'job_2'] }];
  state.demand = { ...NO_DEMAND, running: 2, waiting: 2 };
  expect(await decide()).toEqual({ need, started, launch: need - started });
});

test('tasks are checked ten seconds after their launch, and one that ended is replaced after a pause', async () => {
  const { state, decide } = scaling();
  state.demand = { ...NO_DEMAND, waiting: 1 };
  await decide();
  state.ended = new Map([['t1-0', 'CannotPull: gone']]);
  await decide(10_000);
  expect(state.checked).toEqual([]);
  await decide(10_001);
  expect(state.checked).toEqual([['t1-0']]);
  expect(state.record).toMatchObject({ launches: [], failure: { times: 1, reason: 'CannotPull' } });
  expect(state.told).toEqual([{ failures: 1, reason: 'CannotPull: gone' }, { LaunchFailures: 1 }]);
  await decide(25_000);
  expect(state.runs).toHaveLength(1);
  await decide(25_002);
  expect(state.runs).toHaveLength(2);
});

test('a task that has registered is no failure when it ends, and what ECS does not say is found out later', async () => {
  const { state, decide } = scaling();
  state.demand = { ...NO_DEMAND, waiting: 1 };
  await decide();
  state.ended = new Error('throttled');
  await decide(11_000);
  expect(state.record.launches).toHaveLength(1);
  state.ended = new Map([['t1-0', 'it stopped']]);
  state.workers = [{ task: 't1-0', build: 'worker:1', running: [] }];
  await decide(12_000);
  expect(state.record.launches).toEqual([]);
  expect(state.record.failure).toBeUndefined();
  expect(state.told).toEqual(['throttled']);
});

test('tasks that do not register in three minutes are one failure', async () => {
  const { state, decide } = scaling();
  state.demand = { ...NO_DEMAND, waiting: 3 };
  await decide();
  await decide(180_001);
  expect(state.told).toEqual([
    { failures: 1, reason: 'launched tasks have not registered in time' },
    { LaunchFailures: 1 },
  ]);
});

test('a launch without an answer is repeated by its token, after a pause and not sooner than after ten seconds', async () => {
  const { state, decide } = scaling();
  state.demand = { ...NO_DEMAND, waiting: 3 };
  state.answers = [new Error('socket hang up')];
  await decide();
  expect(state.record.failure).toMatchObject({ times: 1, reason: 'ECS gave no answer' });
  expect(state.told).toEqual([{ failures: 2, reason: 'Error: socket hang up' }, { LaunchFailures: 2 }]);
  await decide(14_999);
  expect(state.runs).toHaveLength(1);
  await decide(15_000);
  expect(state.runs.map(({ token }) => token)).toEqual(['t1', 't1']);
  expect(state.record.launches).toMatchObject([{ tasks: ['t1-0', 't1-1'] }]);

  // Another process may still wait for the answer to this one.
  const { at: _at, ...launch } = state.record.launches[0] as Launch;
  state.record = scalingSchema.parse({
    launches: [{ ...launch, tasks: undefined, at: new Date(START).toISOString() }],
  });
  await decide(10_000);
  expect(state.runs).toHaveLength(2);
  await decide(10_001);
  expect(state.runs).toHaveLength(3);
});

test('a launch in part is a failure of the rest, and on Spot the rest is launched on demand at once', async () => {
  const { state, decide } = scaling({ spotWeight: 100 });
  state.demand = { ...NO_DEMAND, waiting: 6 };
  state.answers = [{ tasks: ['a'], failure: 'Capacity is unavailable' }];
  expect(await decide()).toEqual({ need: 3, started: 1, launch: 2 });
  expect(state.runs).toEqual([
    { token: 't1', provider: 'FARGATE_SPOT', count: 3 },
    { token: 't2', provider: 'FARGATE', count: 2 },
  ]);
  expect(state.told).toEqual([{ failures: 2, reason: 'Capacity is unavailable' }, { LaunchFailures: 2 }]);
  const onDemand = scaling();
  onDemand.state.demand = { ...NO_DEMAND, waiting: 6 };
  onDemand.state.answers = [{ tasks: ['a'], failure: 'RESOURCE:CPU' }];
  await onDemand.decide();
  expect(onDemand.state.runs).toHaveLength(1);
});

test('a failure is over once as many workers are there as the work needs, and none is starting', async () => {
  const { state, decide } = scaling();
  state.demand = { ...NO_DEMAND, waiting: 3 };
  state.answers = [{ tasks: ['a'], failure: 'RESOURCE:CPU' }];
  await decide();
  expect(await decide(1_000)).toMatchObject({ need: 2, started: 1 });
  expect(state.record.failure).toBeDefined();
  // As many are started as the work needs, but one has not registered.
  state.demand = { ...NO_DEMAND, waiting: 1 };
  await decide(2_000);
  expect(state.record.failure).toBeDefined();
  state.workers = [{ task: 'a', build: 'worker:1', running: [] }];
  await decide(3_000);
  expect(state.record.failure).toBeUndefined();
});

test('a failure stands while more workers are needed than there may be beside those that exit', async () => {
  const { state, decide } = scaling({ maxWorkers: 1 });
  state.demand = { ...NO_DEMAND, waiting: 1 };
  state.answers = [{ tasks: [], failure: 'RESOURCE:CPU' }];
  await decide();
  state.workers = [{ build: 'worker:0', running: ['job_1'] }];
  expect(await decide(20_000)).toEqual({ need: 1, started: 0, launch: 0 });
  expect(state.record.failure).toBeDefined();
});
