import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { addStacks } from '../../../../lib/stacks/add-stacks.ts';
import { codeOf, deployment, resourcesOf, roleStatements, testApp, VERSION } from '../synthesis.ts';

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
const [scale] = functionsOf(worker);

describe('the function that launches workers', () => {
  test("may start workers' tasks in the cluster, pass their roles, and record its launches", () => {
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
      // A launch that fails is an event.
      {
        actions: ['dynamodb:PutItem'],
        condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['event#*'] } },
      },
    ]);
    const queried = about('dynamodb:Query').flatMap(({ resources }) => resources);
    expect(queried.flatMap((resource) => /\/index\/([a-z\d-]+)/.exec(resource)?.[1] ?? [])).toEqual(['by-status']);
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
});

test('functions that request a scaling decision may call only that function', () => {
  const asked = [...roleStatements(api).values()]
    .flat()
    .filter(({ actions }) => actions.includes('lambda:InvokeFunction'));
  const targets = asked.flatMap(({ resources }) => resources);
  expect(targets.filter((target) => target.includes(':function:second-scale-workers'))).toHaveLength(2);
});

test('a worker stops after the configured idle minutes', () => {
  const [task] = resourcesOf(worker, 'AWS::ECS::TaskDefinition').values();
  expect(JSON.stringify(task?.Properties)).toContain('{"Name":"PROMPTQ_IDLE_SECONDS","Value":"300"}');
});
