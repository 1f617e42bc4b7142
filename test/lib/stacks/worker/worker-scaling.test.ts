import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { countEnv, scaleEnv } from '../../../../lib/platform/config/function-env.ts';
import { readEnv } from '../../../../lib/platform/config/read-env.ts';
import { addStacks } from '../../../../lib/stacks/add-stacks.ts';
import { codeOf, deployment, resourcesOf, roleStatements, standIns, testApp, VERSION } from '../synthesis.ts';

const limits = { maxWorkers: 7, jobsPerWorker: 3, spotWeight: 30, idleMinutes: 5, deployCommands: false };
const settings = deployment({ deploymentName: 'second', ...limits });
const { api, worker } = addStacks(testApp(), { deployment: settings, version: VERSION, codeOf });

const functionSchema = z.object({
  FunctionName: z.string().optional(),
  Timeout: z.number(),
  Role: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
  Code: z.object({ ZipFile: z.string() }),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
});
const functionsOf = (stack: typeof api | typeof worker) =>
  [...resourcesOf(stack, 'AWS::Lambda::Function').values()].map(({ Properties }) => functionSchema.parse(Properties));
const namesOf = (stack: typeof api | typeof worker, id: string) => {
  const found = functionsOf(stack).find(({ Code }) => Code.ZipFile === id);
  return standIns(found?.Environment.Variables ?? {});
};
const [scale] = functionsOf(worker);

describe('the function that launches workers', () => {
  test('is in the stack of the workers, under the name that others call', () => {
    expect(scale?.Code.ZipFile).toBe('triggers.scale-workers');
    expect(scale?.FunctionName).toBe('second-scale-workers');
    const callers = functionsOf(api).filter(({ Environment }) => 'SCALE_WORKERS_FUNCTION' in Environment.Variables);
    expect(callers.map(({ Code }) => Code.ZipFile).sort()).toEqual(['codex-account.start', 'triggers.count-jobs']);
    const names = callers.map(({ Environment }) => Environment.Variables.SCALE_WORKERS_FUNCTION);
    expect(names).toEqual(['second-scale-workers', 'second-scale-workers']);
    readEnv(countEnv, namesOf(api, 'triggers.count-jobs'));
  });

  test('gets the settings, and every variable that its environment is checked for', () => {
    expect(readEnv(scaleEnv, namesOf(worker, 'triggers.scale-workers'))).toMatchObject({
      PROMPTQ_MAX_WORKERS: 7,
      PROMPTQ_SPOT_WEIGHT: 30,
      PROMPTQ_CONCURRENCY: 3,
    });
  });

  test('and every process that runs commands of bindings learns whether it may', () => {
    const told = (stacks: { readonly api: typeof api; readonly worker: typeof worker }) => {
      const functions = [...functionsOf(stacks.api), ...functionsOf(stacks.worker)];
      const variables = functions.flatMap(({ Environment }) => Environment.Variables.PROMPTQ_DEPLOY_COMMANDS ?? []);
      const [task] = resourcesOf(stacks.worker, 'AWS::ECS::TaskDefinition').values();
      const value = /"PROMPTQ_DEPLOY_COMMANDS","Value":"(.)"/.exec(JSON.stringify(task))?.[1];
      return [...new Set([...variables, value])];
    };
    expect(told({ api, worker })).toEqual(['0']);
    const usual = deployment({ deploymentName: 'third' });
    expect(told(addStacks(testApp(), { deployment: usual, version: VERSION, codeOf }))).toEqual(['1']);
  });

  test('may start tasks of the one family, in the one cluster, under the roles of workers, and write what it launched', () => {
    const [roleId = ''] = scale?.Role['Fn::GetAtt'] ?? [];
    const statements = roleStatements(worker).get(roleId) ?? [];
    const [task] = resourcesOf(worker, 'AWS::ECS::TaskDefinition').values();
    const family = z.object({ Family: z.string() }).parse(task?.Properties).Family;
    const cluster = { ArnEquals: { 'ecs:cluster': { 'Fn::GetAtt': [expect.stringMatching(/^Cluster/), 'Arn'] } } };
    const about = (action: string) => statements.filter(({ actions }) => actions.includes(action));
    expect(about('ecs:RunTask')).toEqual([
      {
        effect: 'Allow',
        actions: ['ecs:RunTask'],
        resources: [expect.stringContaining(`:task-definition/${family}:*`)],
        condition: cluster,
      },
    ]);
    expect(about('ecs:DescribeTasks')).toMatchObject([
      {
        actions: ['ecs:DescribeTasks'],
        resources: [expect.stringMatching(/:task\/.*Cluster.*\/\*/)],
        condition: cluster,
      },
    ]);
    const roles = [expect.stringContaining('ExecutionRole'), expect.stringContaining('TaskDefinitionTaskRole')];
    expect(about('iam:PassRole')).toEqual([
      {
        effect: 'Allow',
        actions: ['iam:PassRole'],
        resources: roles,
        condition: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
      },
    ]);
    expect(about('dynamodb:PutItem')).toMatchObject([
      {
        actions: ['dynamodb:DeleteItem', 'dynamodb:PutItem'],
        condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['scaling'] } },
      },
    ]);
    const queried = about('dynamodb:Query').flatMap(({ resources }) => resources);
    expect(queried.flatMap((resource) => /\/index\/([a-z\d-]+)/.exec(resource)?.[1] ?? [])).toEqual([
      'by-status-2',
      'ready',
    ]);
    const actions = new Set(statements.flatMap((statement) => statement.actions));
    expect([...actions].sort()).toEqual([
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
      'ecs:DescribeTasks',
      'ecs:RunTask',
      'iam:PassRole',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'ssm:GetParameter',
    ]);
  });

  test('is the only one that may start tasks or pass a role', () => {
    const others = [...roleStatements(api), ...roleStatements(worker)].filter(
      ([id]) => id !== scale?.Role['Fn::GetAtt'][0],
    );
    const actions = others.flatMap(([, statements]) => statements.flatMap((statement) => statement.actions));
    expect(actions.filter((action) => /^ecs:|PassRole/.test(action))).toEqual([]);
  });

  test('decides every minute, and makes up for a missed call in the next', () => {
    const [rule] = resourcesOf(worker, 'AWS::Events::Rule').values();
    expect(rule?.Properties).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      Targets: [{ RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } }],
    });
    const [calls] = resourcesOf(worker, 'AWS::Lambda::EventInvokeConfig').values();
    expect(calls?.Properties).toMatchObject({ MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 1 });
  });
});

test('a parameter names the wanted revision: an export in use could not change', () => {
  const [parameter] = resourcesOf(worker, 'AWS::SSM::Parameter').values();
  expect(parameter?.Properties).toMatchObject({
    Name: '/second-worker/task-definition',
    Value: { Ref: expect.stringMatching(/^TaskDefinition/) },
  });
});

test('functions that only request a decision may call that function and no other', () => {
  const asked = [...roleStatements(api).values()]
    .flat()
    .filter(({ actions }) => actions.includes('lambda:InvokeFunction'));
  const targets = asked.flatMap(({ resources }) => resources);
  expect(targets.filter((target) => target.includes(':function:second-scale-workers'))).toHaveLength(2);
});

test('a worker stops after as many idle minutes as the settings say', () => {
  const [task] = resourcesOf(worker, 'AWS::ECS::TaskDefinition').values();
  expect(JSON.stringify(task?.Properties)).toContain('{"Name":"PROMPTQ_IDLE_SECONDS","Value":"300"}');
});
