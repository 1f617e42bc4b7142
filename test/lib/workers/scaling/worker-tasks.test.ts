import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ECSClient } from '@aws-sdk/client-ecs';
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
