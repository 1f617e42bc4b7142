import { SCENARIO } from './job-price.ts';
import { cost } from './prices.ts';

const MB_PER_GB = 1_000;

/** MB of one job's files that go through the workspaces' file system; the task's own disk is not part of it. */
export interface FileTraffic {
  readonly writtenMb: number;
  readonly readMb: number;
}

/** Dollars for a job's files on EFS with elastic throughput, which is billed by the byte. */
export function fileTraffic({ writtenMb, readMb }: FileTraffic): number {
  return cost('efsWrite', writtenMb / MB_PER_GB) + cost('efsRead', readMb / MB_PER_GB);
}

/** Dollars on top for MB that were in infrequent access: the read itself, and the move back that follows it. */
export function infrequentRead(mb: number): number {
  return cost('efsInfrequentAccess', (2 * mb) / MB_PER_GB);
}

/** MB of a streamed answer that API Gateway bills as one request, begun ones too. */
export const STREAMED_PER_REQUEST_MB = 10;
/** MB of a streamed answer that Lambda does not bill. */
const STREAMED_FREE_MB = 6;

/** MB a second at which Lambda streams an answer after its free part. */
const STREAMED_MB_PER_SECOND = 2;

/** Dollars for sending one streamed answer, besides what the function reads. */
export function streamedAnswer(mb: number): number {
  const requests = Math.max(1, Math.ceil(mb / STREAMED_PER_REQUEST_MB));
  const streamedMb = Math.max(0, mb - STREAMED_FREE_MB);
  const seconds = SCENARIO.functionSeconds + streamedMb / STREAMED_MB_PER_SECOND;
  return (
    cost('restRequest', requests) +
    cost('lambdaStreamed', streamedMb / MB_PER_GB) +
    cost('lambdaArm', seconds * SCENARIO.functionMemory.streaming)
  );
}

/** A team's use of a deployment in a month. */
export const TEAM = { jobs: 2_000, minutes: 10, filesGb: 20, writtenMb: 100, readMb: 100 } as const;

/** Dollars a month for the files of a team's jobs: those that are kept, none of them unused for a week, and the traffic. */
export function teamFiles(): { readonly kept: number; readonly traffic: number } {
  return { kept: cost('efsStandard', TEAM.filesGb), traffic: TEAM.jobs * fileTraffic(TEAM) };
}
