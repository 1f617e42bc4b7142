import { expect, test } from 'vitest';
import * as z from 'zod';
import { KEEP_WARM, WARM_FUNCTIONS } from '../../../../lib/contract/keep-warm.ts';
import { routes } from '../../../../lib/contract/routes/routes.ts';
import { ApiStack } from '../../../../lib/stacks/api/api-stack.ts';
import { DataStack } from '../../../../lib/stacks/data/data-stack.ts';
import { functionAt, functionsById } from '../api/api-methods.ts';
import { codeOf, deployment, nestedStacksOf, ownResourcesOf, testApp, VERSION } from '../synthesis.ts';

const app = testApp();
const data = new DataStack(app, 'data');
const apiStack = (id: string, settings: Record<string, unknown>) =>
  new ApiStack(app, id, { data, deployment: deployment(settings), version: VERSION, codeOf });
const [usual, without] = [apiStack('usual', {}), apiStack('without', { warmFunctions: false })];

const ruleSchema = z.object({
  ScheduleExpression: z.string(),
  State: z.literal('ENABLED'),
  Targets: z.tuple([
    z.object({
      Arn: z.unknown(),
      Input: z.string(),
      RetryPolicy: z.object({ MaximumRetryAttempts: z.number() }),
    }),
  ]),
});

/** The schedules of a stack's functions that are kept warm. */
function schedules(stack: ApiStack) {
  const ids = new Map([...functionsById(stack)].map(([id, { logicalId }]) => [logicalId, id]));
  return nestedStacksOf(stack).flatMap((nested) => {
    const rules = [...ownResourcesOf(nested, 'AWS::Events::Rule').entries()];
    return rules.map(([id, { Properties }]) => {
      const { ScheduleExpression, Targets } = ruleSchema.parse(Properties);
      const [{ Arn, Input, RetryPolicy }] = Targets;
      const permissions = [...ownResourcesOf(nested, 'AWS::Lambda::Permission').values()].filter((permission) =>
        JSON.stringify(permission.Properties.SourceArn).includes(`"${id}"`),
      );
      const retries = RetryPolicy.MaximumRetryAttempts;
      const event = JSON.parse(Input) as object;
      return {
        schedule: ScheduleExpression,
        called: ids.get(functionAt(nested, Arn)),
        event,
        retries,
        allowed: permissions.length,
      };
    });
  });
}

test('each function of the main routes is called every five minutes, at most two of them in the same one', () => {
  const all = schedules(usual);
  expect(all.map(({ called }) => called).sort()).toEqual([...WARM_FUNCTIONS].sort());
  for (const { schedule, event, retries, allowed } of all) {
    expect([event, retries, allowed]).toEqual([KEEP_WARM, 0, 1]);
    expect(schedule).toMatch(/^cron\([0-4]\/5 \* \* \* \? \*\)$/);
  }
  const together = Map.groupBy(all, ({ schedule }) => schedule);
  expect([...together.values()].every(({ length }) => length <= 2)).toBe(true);
});

test('only functions that exist are named', () => {
  const known = routes.map(({ id }) => id as string);
  expect(WARM_FUNCTIONS.filter((id) => !known.includes(id))).toEqual([]);
});

test('a deployment can do without', () => {
  expect(schedules(without)).toEqual([]);
});
