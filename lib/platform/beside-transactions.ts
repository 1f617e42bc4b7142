import { TransactionConflictException } from '@aws-sdk/client-dynamodb';

/** A transaction takes a few round trips. */
const MAX_TRIES = 10;

/**
 * Sends a conditional write to an item that transactions write too. DynamoDB rejects one that meets such a transaction,
 * whether that is then applied or not, and the SDK does not try again. Sent again, it is applied or its condition fails.
 * @throws what the write throws; TransactionConflictException if it met transactions each time
 */
export async function besideTransactions<T>(write: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof TransactionConflictException) || tries === MAX_TRIES) throw error;
    }
  }
}
