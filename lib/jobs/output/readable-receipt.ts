import type { Receipt } from '../receipts/receipt.ts';
import type { OutputState } from './compared-output.ts';
import { DamagedReceiptError, type OutputStore } from './output-store.ts';

/**
 * The receipt of an attempt that has ended, if it is readable, and its state.
 * @throws NewerSchemaError if a later version wrote it
 */
export async function readableReceipt(
  output: Pick<OutputStore, 'readReceipt'>,
  jobId: string,
  attempt: number,
): Promise<{ readonly receipt?: Receipt; readonly state: OutputState }> {
  try {
    const receipt = await output.readReceipt(jobId, attempt);
    return receipt === undefined ? { state: 'missing' } : { receipt, state: 'complete' };
  } catch (error) {
    if (error instanceof DamagedReceiptError) return { state: 'corrupt' };
    throw error;
  }
}
