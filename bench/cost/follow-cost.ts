import { LIMITS } from '../../lib/contract/limits.ts';
import { POLL_INTERVAL_MS } from '../../lib/jobs/output/reading/follow-logs.ts';
import { FLUSH } from '../../worker-container/output/stream-shipper.ts';
import type { Step } from '../requests/request-counts.ts';
import { request, SCENARIO, sumOf } from './job-price.ts';
import { cost } from './prices.ts';

/** Both streams of an attempt that runs: two HEADs and a LIST for each, which costs as much as a PUT. */
const STREAMS = 2;
const OUTPUT_READ = { s3Puts: STREAMS, s3Gets: 2 * STREAMS } as const;

/** Dollars for one stream of a followed log up to its end, whether a client reads it or not. */
export function followedStream(): number {
  const { seconds, admitSeconds } = LIMITS.follow;
  const looks = Math.ceil((seconds * 1_000) / POLL_INTERVAL_MS);
  // The caller and the job at first; then the job at each look, the caller now and then, a slot and its release, marks.
  const marks = Math.ceil(seconds / 15);
  const reads = 2 + looks + Math.floor(seconds / admitSeconds) + 0.5;
  return sumOf(request(step({ looks, reads, writes: 2 + marks }), 'streaming', seconds));
}

/** Dollars for following a log without a slot for as long as one stream lasts. */
export function polledStream(): number {
  const { seconds, pollSeconds } = LIMITS.follow;
  const requests = seconds / (pollSeconds + SCENARIO.functionSeconds);
  // A mark for every third request.
  return requests * sumOf(request(step({ looks: 1, reads: 3.5, writes: 1 / 3 }), 'streaming'));
}

/** Dollars for what the worker keeps of output that is watched without pause for as long as one stream lasts. */
export function watchedOutput(): number {
  return cost('s3Put', (LIMITS.follow.seconds * 1_000) / FLUSH.soon);
}

function step({ looks, reads, writes }: { looks: number; reads: number; writes: number }): Step {
  return { reads, writes, sqs: 0, s3Puts: looks * OUTPUT_READ.s3Puts, s3Gets: looks * OUTPUT_READ.s3Gets };
}
