import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, expect, it, vi } from 'vitest';
import { tableOutage } from '../../../../lib/platform/aws/table-outage.ts';

/** Before this process, so that an outage here is over for its other tests; later in each test than in the one before. */
let now = -10_000_000;
beforeEach(() => {
  now += 1_000_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});

/** Requests with a client whose table fails like this; what it throws. */
async function failure(error: Error): Promise<unknown> {
  const client = new DynamoDBClient({ region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  client.middlewareStack.add(() => async () => await Promise.reject(error), { step: 'initialize', priority: 'low' });
  tableOutage.attach(client);
  const command = new GetItemCommand({ TableName: 'Jobs', Key: { id: { S: '1' } } });
  return await client.send(command).catch((thrown: unknown) => thrown);
}
const named = (name: string, fault = {}) => Object.assign(new Error('no'), { name, ...fault });

it('an unavailable table is remembered for two minutes, with the error', async () => {
  const down = named('InternalServerError', { $fault: 'server', $metadata: { httpStatusCode: 500 } });
  expect(await failure(down)).toBe(down);
  expect([tableOutage.caused(down), tableOutage.caused(named('InternalServerError'))]).toEqual([true, false]);
  expect(tableOutage.isRecent).toBe(true);
  now += 119_999;
  expect(tableOutage.isRecent).toBe(true);
  now += 1;
  expect(tableOutage.isRecent).toBe(false);
});

it('throttling and faults of a request are no outage', async () => {
  for (const error of [
    named('ThrottlingException', { $metadata: { httpStatusCode: 400 } }),
    named('ServiceUnavailable', { $metadata: { httpStatusCode: 503 } }),
    named('ConditionalCheckFailedException', { $fault: 'client', $metadata: { httpStatusCode: 400 } }),
  ]) {
    expect(await failure(error)).toBe(error);
    expect(tableOutage.caused(error)).toBe(false);
  }
  expect(tableOutage.caused('no error')).toBe(false);
  expect(tableOutage.isRecent).toBe(false);
});
