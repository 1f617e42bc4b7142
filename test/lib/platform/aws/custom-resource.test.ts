import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { answerCustomResource } from '../../../../lib/platform/aws/custom-resource.ts';

let server: Server;
/** The statuses of the next answers; 200 after them. */
let statuses: number[] = [];
let reports: object[] = [];
let pauses: number[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    const { method, headers } = request;
    void json(request).then((body) => {
      reports.push({ method, type: headers['content-type'], ...(body as object) });
      response.writeHead(statuses.shift() ?? 200).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  [statuses, reports, pauses] = [[], [], []];
});

const IDS = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'Resource' };
const SENT = { ...IDS, method: 'PUT', type: '', PhysicalResourceId: 'Resource' };

async function answer(event: object, work: Parameters<typeof answerCustomResource>[1]) {
  const { port } = server.address() as AddressInfo;
  const whole = { ...IDS, RequestType: 'Create', ResponseURL: `http://127.0.0.1:${port}/`, ...event };
  await answerCustomResource(whole as unknown as CloudFormationCustomResourceEvent, work, async (milliseconds) => {
    pauses.push(milliseconds);
    await Promise.resolve();
  });
}

it('what could not be made fails the deployment, with as much of the reason as fits', async () => {
  await answer({}, async () => await Promise.reject(new Error('x'.repeat(1_501))));
  await answer({}, async () => await Promise.reject('no error' as unknown as Error));
  await answer({}, async () => await Promise.reject(new Error('')));
  const failed = { ...SENT, Status: 'FAILED' };
  expect(reports).toEqual([
    { ...failed, Reason: 'x'.repeat(1_500) },
    { ...failed, Reason: 'no error' },
    { ...failed, Reason: '' },
  ]);
});
