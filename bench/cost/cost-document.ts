import { LIMITS } from '../../lib/contract/limits.ts';
import { LONGEST_PAUSE_MS } from '../../lib/jobs/admission/probes.ts';
import { POLL_INTERVAL_MS } from '../../lib/jobs/output/reading/follow-logs.ts';
import { METRICS } from '../../lib/platform/operations/metrics.ts';
import type { RequestCounts } from '../requests/request-counts.ts';
import { followedStream, polledStream, watchedOutput } from './follow-cost.ts';
import { IDLE_ROUND_SECONDS, type IdleCharge, idleCharges, KEPT, WARM_CALL_SECONDS } from './idle-cost.ts';
import {
  type JobPart,
  jobParts,
  merged,
  minuteParts,
  request,
  SCENARIO,
  SERVICES,
  sumOf,
  workerSize,
} from './job-price.ts';
import { idleSeconds, LONE_WORKER, loneSeconds, workerTime } from './lone-job.ts';
import {
  cost,
  FARGATE_MINIMUM_SECONDS,
  HOURS_A_MONTH,
  PRICES,
  PRICES_AS_OF,
  SPOT_DISCOUNT,
  taskHour,
} from './prices.ts';
import type { Resource } from './templates.ts';
import {
  fileTraffic,
  infrequentRead,
  STREAMED_PER_REQUEST_MB,
  streamedAnswer,
  TEAM,
  teamFiles,
} from './traffic-price.ts';

/** Most that an idle deployment may cost, dollars a month, without a custom domain and a firewall. */
export const IDLE_PROMISE = 3;

const MINUTES = [1, 10, 60] as const;
/** MB that a job writes to its workspace, and reads from it. */
const FILE_MEGABYTES = [10, 100, 500] as const;
/** MB of a streamed answer. */
const ANSWER_MEGABYTES = [1, 10, LIMITS.streamedBytes / 1e6] as const;

/** docs/operate/cost.md. */
export function costDocument(resources: ReadonlyMap<string, Resource>, counts: RequestCounts): string {
  const idle = idleCharges(resources, counts);
  const worker = workerSize(resources);
  const fixed = jobParts(counts);
  const minutes = minuteParts(counts, worker);
  const [fixedSum, minuteSum] = [fixed, minutes].map((parts) => sumOf(merged(...parts.map(({ dollars }) => dollars))));
  const spot = minuteSum === undefined ? 0 : (taskHour(worker) - taskHour({ ...worker, spot: true })) * (1_000 / 60);
  const total = (of: number, saved: number) => (fixedSum ?? 0) + of * ((minuteSum ?? 0) - saved);
  const idleFor = idleSeconds(resources);
  const lone = (count: number, isSpot: boolean) => {
    const besidesWorker = (minuteSum ?? 0) - (1_000 / 60) * taskHour(worker);
    return (
      (fixedSum ?? 0) + count * besidesWorker + 1_000 * workerTime(loneSeconds(count * 60, idleFor), worker, isSpot)
    );
  };
  const probeMinutes = LONGEST_PAUSE_MS / 60_000;
  const probes = (isSpot: boolean) =>
    ((HOURS_A_MONTH * 60) / probeMinutes) * workerTime(loneSeconds(0, idleFor), worker, isSpot);
  const wait = 25;
  const files = teamFiles();
  const month: [string, number][] = [
    ['while nothing happens', sum(idle)],
    [
      `${TEAM.jobs.toLocaleString('en-US')} jobs of ${TEAM.minutes} min on busy workers`,
      (TEAM.jobs / 1_000) * total(TEAM.minutes, 0),
    ],
    [`${TEAM.filesGb} GB of workspaces and clones, used within a week`, files.kept],
    [`each job writes ${TEAM.writtenMb} MB there and reads ${TEAM.readMb} MB`, files.traffic],
  ];
  return `# What it costs

\`npm run generate\` computes this page from the synthesized templates (the settings of cdk.json), counted requests and a
table of prices. CI fails when an amount is off by more than a cent.

Prices are those of us-east-1 on demand as of ${PRICES_AS_OF}. Free tiers, taxes, data transfer and the charges of the model's
vendor are not included. Nothing was measured on AWS.

## While nothing happens: ${dollars(sum(idle), 2)} a month

No worker runs and no request arrives. A test holds that the templates cost less than $${IDLE_PROMISE} without a custom domain
and a firewall.

${table(['part', 'what is billed', 'a month', '$ a month'], [...idleRows(idle), ['**together**', '', '', `**${dollars(sum(idle), 2)}**`]])}

Assumptions:

- Each table stores ${KEPT.table} GB, each bucket ${KEPT.bucket} GB, each log ${KEPT.log * 1000} MB, the worker's image ${KEPT.image} GB, and the workspaces ${KEPT.workspaces} GB,
  unused for a week and hence in infrequent access.
- A run of a scheduled function takes ${IDLE_ROUND_SECONDS} s and makes as many requests as one of reconcile-jobs.
- A call that keeps a function warm (\`warmFunctions\`) takes ${WARM_CALL_SECONDS * 1_000} ms on average and makes none.
- Lambda polls the queue of an event source through five connections for 20 s each.

Opt-in: a dashboard ${dollars(cost('dashboard', 1), 2)}, a firewall (WAF) from ${dollars(cost('webAcl', 1), 2)}, a hosted zone for a domain ${dollars(cost('hostedZone', 1), 2)} a month.

In use, the service emits ${Object.keys(METRICS).length} custom metrics, each only in hours in which its value is not zero: at most ${dollars(cost('customMetric', Object.keys(METRICS).length), 2)} a month.

## A team's month

${table(
  ['part', '$ a month'],
  [...month, ['**together**', month.reduce((all, [, usd]) => all + usd, 0)] as const].map(([part, usd]) => [
    part,
    dollars(usd, 2),
  ]),
)}

Not in it: the model, data transfer, and the versions of the worker's image and the functions' bundles that pile up in the
CDK's repository and bucket ([how to remove them](runbook.md#old-images-and-bundles-pile-up)).

## 1,000 jobs

A job is billed for its requests and for the time in which a worker runs it. In this scenario the client creates it, reads its
status ${SCENARIO.statusReads} times and its result once. The job is short, and its output is one object.

${table(['part', ...jobServices(fixed), '$ for 1,000 jobs'], partRows(fixed, jobServices(fixed)))}

${table(['1,000 minutes of running', ...jobServices(minutes), '$'], partRows(minutes, jobServices(minutes)))}

${table(
  ['1,000 jobs, each running for', 'on demand', `on Spot (at best ${Math.round(SPOT_DISCOUNT * 100)} % off)`],
  MINUTES.map((count) => [`${count} min`, dollars(total(count, 0), 2), dollars(total(count, spot), 2)]),
)}

A worker runs one job at a time (\`jobsPerWorker\` 1). These sums are for workers that always have a next job, and for jobs without large files.

### A worker that runs one job

A worker that starts for one job is billed while its image is pulled and it starts (assumed: ${LONE_WORKER.startSeconds} s), while the job runs, for
${idleFor} s without work (\`idleMinutes\`), and for the ${LONE_WORKER.lastLookSeconds} s of its last check of the queues. Fargate bills at least ${FARGATE_MINIMUM_SECONDS} s. These sums
include the job's requests.

${table(
  ['1,000 lone jobs, each running for', "each worker's billed time", 'on demand', 'on Spot (at best)'],
  MINUTES.map((count) => [
    `${count} min`,
    `${loneSeconds(count * 60, idleFor)} s`,
    dollars(lone(count, false), 2),
    dollars(lone(count, true), 2),
  ]),
)}

### A job that waits for its vendor

While jobs wait for an account or a usage limit, one of them probes, at last every ${probeMinutes} min. If nothing else runs, each
probe starts a worker (assumed: the command ends at once). A job that nobody cancels or gives an account costs
${dollars(probes(false), 2)} a month, ${dollars(probes(true), 2)} on Spot at best.

### Files in workspaces

The workspaces' file system bills each byte written or read (elastic throughput), for clones, installed packages and builds.
Files in \`HOME\`, \`TMPDIR\` and \`XDG_CACHE_HOME\` are on the task's own disk, which costs nothing extra up to 20 GB;
beyond them (\`workerSize.diskGb\`) ${dollars(cost('fargateDisk', 1_000), 2)} for 1,000 GB-hours. Stored files cost ${dollars(cost('efsStandard', 1), 2)} a GB-month, those that
nobody used for a week ${dollars(cost('efsInfrequent', 1), 3)}, and an access moves a file back. The table counts the files' own bytes: EFS meters each file in
steps of 4 KiB with 2 KiB of metadata, at least 128 KiB while it is in infrequent access, and bills operations on
metadata too, so a tree of small files costs a multiple.

${table(
  ['each job', '1,000 jobs that write it', '1,000 jobs that read it', 'extra for infrequent access'],
  FILE_MEGABYTES.map((mb) => [
    `${mb} MB`,
    dollars(1_000 * fileTraffic({ writtenMb: mb, readMb: 0 }), 2),
    dollars(1_000 * fileTraffic({ writtenMb: 0, readMb: mb }), 2),
    dollars(1_000 * infrequentRead(mb), 2),
  ]),
)}

### Streamed answers

Results, logs and attachments are streamed. API Gateway bills every started ${STREAMED_PER_REQUEST_MB} MB as a request, and Lambda each byte after the
first 6 MB and the function's time, at 2 MB a second. Data transfer is not included.

${table(
  ['1,000 answers of', '$'],
  ANSWER_MEGABYTES.map((mb) => [`${mb} MB`, dollars(1_000 * streamedAnswer(mb), 4)]),
)}

### Followed logs

A followed log is streamed for ${LIMITS.follow.seconds} s at a time by a function that checks for new output every ${POLL_INTERVAL_MS / 1_000} s. Lambda does not
report a client that disconnects, so an abandoned log costs at most one stream. Beyond \`followStreams\`, a log is polled
every ${LIMITS.follow.pollSeconds} s and costs nothing more once it is abandoned.

${table(
  [`1,000 times ${LIMITS.follow.seconds} s of a running job's log`, '$'],
  [
    ['streamed, or abandoned at once', dollars(1_000 * followedStream(), 4)],
    ['polled', dollars(1_000 * polledStream(), 4)],
    ['extra for a job that writes without pause', dollars(1_000 * watchedOutput(), 4)],
  ],
)}

Waiting for the end of a job: 1,000 reads of the status cost ${dollars(1_000 * sumOf(request(counts.status, 'buffered')), 4)}, 1,000 that wait ${wait} s (\`?wait=${wait}\`) ${dollars(1_000 * sumOf(request(counts.status, 'buffered', wait)), 4)}. Long waits return sooner; polls with pauses are cheaper.

Assumptions:

- A function runs ${SCENARIO.functionSeconds * 1000} ms for a request, cold starts included, and writes ${SCENARIO.logOfRequest * 1e6} KB of log.
- count-jobs runs ${SCENARIO.countRounds} times for a job; under load one run handles many changes.
- scale-workers runs once for a job and makes as many requests as a run of reconcile-jobs.
- The agent is shell. A session of codex or claude is two more S3 PUTs for a job, and one for every 10 s in which it grows.
- Output that never pauses is stored once a minute and read once.

## Counted requests

\`npm run bench -- requests\` counts them: the exported functions behind the local gateway, and the worker's modules, on the
emulators, which charge by AWS's rules.

${table(
  ['step', 'write units', 'read units', 'SQS requests', 'S3 PUTs', 'S3 GETs'],
  Object.entries(counts).map(([name, step]) => [
    `\`${name}\``,
    ...[step.writes, step.reads, step.sqs, step.s3Puts, step.s3Gets].map(String),
  ]),
)}

## Prices

Addresses at aws.amazon.com and docs.aws.amazon.com are AWS's own. Those with \`api-evangelist\` are transcripts of AWS's
pages of September 2026, and the others are articles of third parties: AWS's pages load most of their figures by script,
so that no copy of them could be read. \`own knowledge\` means that no page was found. Before a decision depends on a
figure, compare it with AWS's
[price list](https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-the-aws-price-list-bulk-api.html).

${table(
  ['price', '$', 'for', 'source'],
  Object.entries(PRICES).map(([name, { usd, of, unit, source }]) => [
    `\`${name}\``,
    String(usd),
    of === 1 ? `1 ${unit}` : `${of.toLocaleString('en-US')} ${unit}`,
    source.startsWith('http') ? `<${source}>` : source,
  ]),
)}
`;
}

function idleRows(charges: readonly IdleCharge[]): string[][] {
  const byPart = Map.groupBy(charges, ({ part, price }) => `${part}\n${price}`);
  return [...byPart.values()]
    .map((group) => ({ group, usd: sum(group), amount: group.reduce((total, { amount }) => total + amount, 0) }))
    .sort((a, b) => b.usd - a.usd)
    .map(({ group: [first], usd, amount }) => {
      if (first === undefined) return [];
      const { unit } = PRICES[first.price];
      return [first.part, unit, amount.toLocaleString('en-US', { maximumFractionDigits: 3 }), dollars(usd, 3)];
    });
}

function sum(charges: readonly IdleCharge[]): number {
  return charges.reduce((total, { price, amount }) => total + cost(price, amount), 0);
}

/** The services that any of the parts uses. */
function jobServices(parts: readonly JobPart[]) {
  return SERVICES.filter((service) => parts.some(({ dollars: by }) => (by[service] ?? 0) > 0));
}

function partRows(parts: readonly JobPart[], services: readonly (typeof SERVICES)[number][]): string[][] {
  const all = merged(...parts.map(({ dollars: by }) => by));
  const row = (name: string, by: JobPart['dollars']) => [
    name,
    ...services.map((service) => ((by[service] ?? 0) > 0 ? dollars(by[service] ?? 0, 4) : '')),
    dollars(sumOf(by), 4),
  ];
  return [...parts.map(({ part, dollars: by }) => row(part, by)), row('**together**', all)];
}

function dollars(amount: number, digits: number): string {
  return `$${amount.toFixed(digits)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
