import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { aJob, aRunningJob } from '../../lib/jobs/a-job.ts';
import { printedBy } from '../../local-run/captured-lines.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
/** Lambda, as far as it is asked to invoke a function. */
let lambda: Server;
const invoked: string[] = [];
let status = 202;
beforeAll(async () => {
  deployment = await emulateDeployment();
  lambda = createServer((request, response) => {
    request.resume();
    invoked.push(`${request.url} ${request.headers['x-amz-invocation-type']}`);
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(lambda, 'listening');
  const endpoint = `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`;
  const scaling = { SCALE_WORKERS_FUNCTION: 'scale', AWS_ENDPOINT_URL_LAMBDA: endpoint };
  for (const [name, value] of Object.entries({ ...deployment.variables, ...scaling })) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  lambda.closeAllConnections();
  lambda.close();
  await deployment.stop();
});

let sequence = 0;
async function count(before: Job | undefined, after: Job | undefined) {
  const image = (job: Job | undefined) => job && marshall(job, { removeUndefinedValues: true });
  sequence += 1;
  const dynamodb = { SequenceNumber: String(sequence), OldImage: image(before), NewImage: image(after) };
  const { handler } = await import('../../../functions/triggers/count-jobs.ts');
  const event = { Records: [{ dynamodb }] as DynamoDBRecord[], shardId: 'shardId-00000001763712000000-0000000a' };
  invoked.length = 0;
  const { lines } = await printedBy(async () => await handler(event));
  return [invoked, lines.map(({ message }) => message).filter((message) => message !== undefined)];
}

it('the function that launches workers is called for new work only, and its failure is only reported', async () => {
  const call = ['/2015-03-31/functions/scale/invocations Event'];
  expect(await count(undefined, aJob({}))).toEqual([call, []]);
  expect(await count(aJob({}), aRunningJob({}))).toEqual([[], []]);
  status = 400;
  expect(await count(undefined, aJob({}))).toEqual([
    call,
    ['scaling failed; the next scheduled decision follows within a minute'],
  ]);
});
