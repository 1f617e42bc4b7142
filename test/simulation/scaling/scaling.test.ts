import { beforeAll, describe, expect, test } from 'vitest';
import { bestPrice, compare, type Outcome } from './compare.ts';

let outcomes: Outcome[];
beforeAll(async () => {
  outcomes = await compare({ seed: 1 });
});

const find = (trace: string, policy: string) => {
  const found = outcomes.find((one) => one.trace === trace && one.policy.startsWith(policy));
  if (found === undefined) throw new Error(`${policy} did not run ${trace}`);
  return found;
};

describe('the scaling of workers', () => {
  test('ends no busy task, and completes every job', () => {
    const ours = outcomes.filter(({ policy }) => policy === 'ours');
    expect(ours).toHaveLength(6);
    expect(ours.map(({ killed, undone }) => [killed, undone])).toEqual(ours.map(() => [0, 0]));
  });

  test("starts a job from zero within Fargate's own start and two seconds", () => {
    for (const trace of ['single', 'login at zero']) expect(find(trace, 'ours').overStart.p95).toBeLessThan(2);
  });

  test('starts the jobs of a burst at least three times sooner than the alarms of QueueProcessingFargateService', () => {
    expect(find('burst of 1,000', '(b)').p95 / find('burst of 1,000', 'ours').p95).toBeGreaterThan(3);
  });

  test('costs at most a tenth more than the cheapest that does all the work', () => {
    for (const { trace, policy, dollars } of outcomes)
      if (policy === 'ours') expect(dollars / bestPrice(outcomes, trace), trace).toBeLessThanOrEqual(1.1);
  });

  test('is simulated deterministically, and other policies do end busy tasks', async () => {
    expect(await compare({ seed: 1, only: ['diurnal'] })).toEqual(outcomes.filter(({ trace }) => trace === 'diurnal'));
    expect(find('burst of 1,000', '(a)').killed).toBeGreaterThan(0);
  });
});
