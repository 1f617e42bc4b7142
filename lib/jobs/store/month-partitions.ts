import { createHash } from 'node:crypto';
import type { Job } from '../lifecycle/job.ts';

/** How many partitions a month's rows of one kind are spread over. */
const PARTITIONS = 8;

/** The partition of rows stored beside a job: by month and spread, so that a search can read a month in parallel. */
export function monthPartition(kind: 'texts' | 'labels', owner: Pick<Job, 'id' | 'created_at'>): string {
  const spread = (createHash('sha256').update(owner.id).digest()[0] ?? 0) % PARTITIONS;
  return partition(kind, owner.created_at.slice(0, 7), spread);
}

/** The partitions with the rows of a kind of a month's jobs; `month` as `2026-11`. */
export function monthPartitions(kind: 'texts' | 'labels', month: string): string[] {
  return Array.from({ length: PARTITIONS }, (_, spread) => partition(kind, month, spread));
}

function partition(kind: string, month: string, spread: number): string {
  return `${kind}#${month}#${spread}`;
}

/** The month of a time in milliseconds, as `2026-11`. */
export function monthOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 7);
}

export function monthBefore(month: string): string {
  return monthOf(Date.parse(`${month}-01T00:00:00.000Z`) - 1);
}

export function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return monthOf(Date.UTC(year, number));
}
