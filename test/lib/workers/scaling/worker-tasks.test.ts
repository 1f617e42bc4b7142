import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DescribeTasksCommand, ECSClient } from '@aws-sdk/client-ecs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WorkerTasks } from '../../../../lib/workers/scaling/worker-tasks.ts';

const LAUNCH = {
  token: 't',
  provider: 'FARGATE',
  count: 2,
  build: 'worker:1',
  at: '2026-11-20T10:00:00.000Z',
} as const;
const PLACE = { cluster: 'cluster', subnets: ['subnet-1'], securityGroup: 'sg-1', hasPublicAddress: true };

let answer: { readonly status: number; readonly body: object };
const server = createServer((_request, response) => {
  response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer.body));
});
let tasks: WorkerTasks;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = new ECSClient({
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  tasks = new WorkerTasks(client, PLACE);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('a launch that ECS refused has started no task, and says why', async () => {
  answer = { status: 400, body: { __type: 'ThrottlingException', message: 'Rate exceeded' } };
  expect(await tasks.run(LAUNCH)).toEqual({ tasks: [], failure: 'ThrottlingException: Rate exceeded' });
});

it('after a fault within ECS it is unknown whether tasks were started', async () => {
  answer = { status: 500, body: { __type: 'ServerException', message: 'Service Unavailable' } };
  await expect(tasks.run(LAUNCH)).rejects.toThrow('Service Unavailable');
});

it('tasks that were not started have a reason, also if ECS gives none', async () => {
  const started = [{ taskArn: 'arn:aws:ecs:eu-central-1:1:task/cluster/id-1' }];
  answer = { status: 200, body: { tasks: started, failures: [{ reason: 'RESOURCE:CPU' }] } };
  expect(await tasks.run(LAUNCH)).toEqual({ tasks: ['id-1'], failure: 'RESOURCE:CPU' });
  answer = { status: 200, body: { tasks: started } };
  expect((await tasks.run(LAUNCH)).failure).toBe('fewer tasks were started than asked for');
  answer = { status: 200, body: { tasks: [...started, ...started] } };
  expect(await tasks.run(LAUNCH)).not.toHaveProperty('failure');
});

it('a refusal that is no answer of ECS leaves unknown whether tasks were started', async () => {
  const send = async () => {
    throw new Error('socket hang up');
  };
  const unheard = new WorkerTasks({ send } as unknown as ECSClient, PLACE);
  await expect(unheard.run(LAUNCH)).rejects.toThrow('socket hang up');
  answer = { status: 499, body: { __type: 'ClientException', message: 'no' } };
  expect((await tasks.run(LAUNCH)).failure).toBe('ClientException: no');
});

it('tasks without a name, and tasks that still run, are left out', async () => {
  const arn = 'arn:aws:ecs:eu-central-1:1:task/cluster/';
  answer = { status: 200, body: { tasks: [{}, { taskArn: `${arn}id-1` }] } };
  expect((await tasks.run(LAUNCH)).tasks).toEqual(['id-1']);
  const stopped = [
    { taskArn: `${arn}a`, lastStatus: 'STOPPED', stoppedReason: 'out of memory', stopCode: 'x' },
    { taskArn: `${arn}b`, lastStatus: 'STOPPED', stopCode: 'TaskFailedToStart' },
    { taskArn: `${arn}c`, lastStatus: 'STOPPED' },
    { taskArn: `${arn}d`, lastStatus: 'RUNNING' },
  ];
  answer = { status: 200, body: { tasks: stopped, failures: [{ arn: `${arn}e`, reason: 'MISSING' }] } };
  expect([...(await tasks.ended(['a', 'b', 'c', 'd', 'e']))]).toEqual([
    ['a', 'out of memory'],
    ['b', 'TaskFailedToStart'],
    ['c', 'it stopped'],
    ['e', 'it is gone'],
  ]);
});

it('ECS is asked for 100 tasks at a time', async () => {
  const asked: number[] = [];
  const send = async ({ input }: DescribeTasksCommand) => {
    asked.push(input.tasks?.length ?? 0);
    return {};
  };
  const names = Array.from({ length: 200 }, (_, n) => `task-${n}`);
  await new WorkerTasks({ send } as unknown as ECSClient, PLACE).ended([...names, 'last']);
  await new WorkerTasks({ send } as unknown as ECSClient, PLACE).ended(names);
  expect(asked).toEqual([100, 100, 1, 100, 100]);
});
