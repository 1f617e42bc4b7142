import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { besideTransactions } from '../../../lib/platform/beside-transactions.ts';
import { secretPlaces, secretsPath } from '../../../lib/platform/config/secrets-path.ts';

/** A write that fails some times, and how often it was sent. */
async function written(failures: number, error: Error) {
  let sent = 0;
  const result = await besideTransactions(async () => {
    sent += 1;
    if (sent <= failures) throw error;
    return 'written';
  }).catch((thrown: unknown) => thrown);
  return { sent, result };
}
const conflict = new TransactionConflictException({ message: 'conflict', $metadata: {} });

it('a write that meets transactions is sent again, ten times at most', async () => {
  expect(await written(0, conflict)).toEqual({ sent: 1, result: 'written' });
  expect(await written(9, conflict)).toEqual({ sent: 10, result: 'written' });
  expect(await written(10, conflict)).toEqual({ sent: 10, result: conflict });
});

it('any other failure of a write is its result', async () => {
  const failed = new ConditionalCheckFailedException({ message: 'no', $metadata: {} });
  expect(await written(1, failed)).toEqual({ sent: 1, result: failed });
});

it("a profile's own secret comes before the shared one", () => {
  expect(secretsPath({ deploymentName: 'team' })).toBe('/promptq/team/secrets/');
  expect(secretPlaces('KEY', 'deploy')).toEqual(['deploy/KEY', 'KEY']);
  expect(secretPlaces('KEY', undefined)).toEqual(['KEY']);
});
