import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
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
const nothing = async () => await Promise.resolve(undefined);

it('what was made is reported, under the id that a resource has', async () => {
  const given: unknown[] = [];
  const make = async (properties: unknown) => {
    given.push(properties);
    return await Promise.resolve({ attributes: { A: 'b' }, secret: true });
  };
  await answer({ ResourceProperties: { Version: '1' } }, make);
  await answer({ RequestType: 'Update', ResourceProperties: { Version: '2' }, PhysicalResourceId: 'old' }, nothing);
  await answer({ RequestType: 'Delete', ResourceProperties: { Version: '2' } }, make);
  expect(given).toEqual([{ Version: '1' }, undefined]);
  const made = { ...SENT, Status: 'SUCCESS', Data: { A: 'b' }, NoEcho: true };
  expect(reports).toEqual([made, { ...SENT, Status: 'SUCCESS', PhysicalResourceId: 'old' }, made]);
});

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

it('a report is sent up to five times, at longer and longer intervals, for ten seconds each', async () => {
  const limits = vi.spyOn(AbortSignal, 'timeout');
  statuses = [500, 403, 500, 500];
  await answer({}, nothing);
  expect([reports.length, pauses]).toEqual([5, [400, 800, 1_600, 3_200]]);
  statuses = [500, 500, 500, 500, 503];
  await expect(answer({}, nothing)).rejects.toThrow("CloudFormation's response URL answered 503");
  expect([reports.length, pauses.length]).toEqual([10, 8]);
  expect(limits.mock.calls).toEqual(Array(10).fill([10_000]));
});
