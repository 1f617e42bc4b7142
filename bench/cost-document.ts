import { METRICS } from '../lib/operations/metrics.ts';
import { IDLE_ROUND_SECONDS, type IdleCharge, idleCharges, KEPT } from './idle-cost.ts';
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
import { cost, FARGATE_MINIMUM_SECONDS, PRICES, PRICES_AS_OF, SPOT_DISCOUNT, taskHour } from './prices.ts';
import type { RequestCounts } from './request-counts.ts';
import type { Resource } from './templates.ts';

/** What an idle deployment may cost at the most, dollars a month, without a domain of its own or a firewall. */
export const IDLE_PROMISE = 3;

const MINUTES = [1, 10, 60] as const;

/** docs/cost.md. */
export function costDocument(resources: ReadonlyMap<string, Resource>, counts: RequestCounts): string {
  const idle = idleCharges(resources, counts);
  const worker = workerSize(resources);
  const fixed = jobParts(counts);
  const minutes = minuteParts(counts, worker);
  const [fixedSum, minuteSum] = [fixed, minutes].map((parts) => sumOf(merged(...parts.map(({ dollars }) => dollars))));
  const spot = minuteSum === undefined ? 0 : (taskHour(worker) - taskHour({ ...worker, spot: true })) * (1_000 / 60);
  const total = (of: number, saved: number) => (fixedSum ?? 0) + of * ((minuteSum ?? 0) - saved);
  const wait = 25;
  return `# What it costs

Made by \`npm run cost\` from the synthesized templates (the settings of cdk.json), counted requests and a table of prices; CI fails when it is stale. Prices are
those of us-east-1 on demand as of ${PRICES_AS_OF}, free tiers not used, without taxes, data transfer and what the vendor of the model charges. Nothing was measured on AWS.

## While nothing happens: ${dollars(sum(idle), 2)} a month

No worker runs, no request comes. The promise is less than $${IDLE_PROMISE} without a domain of its own and without a firewall; a test holds it against the templates.

${table(['part', 'what is billed', 'a month', '$ a month'], [...idleRows(idle), ['**together**', '', '', `**${dollars(sum(idle), 2)}**`]])}

Taken, not counted: each table keeps ${KEPT.table} GB, the workspaces ${KEPT.workspaces} GB (not touched for a week, hence infrequent access), each bucket ${KEPT.bucket} GB, the worker's image has ${KEPT.image} GB, each log ${KEPT.log * 1000} MB;
a round of a scheduled function takes ${IDLE_ROUND_SECONDS} s and asks as much as one of watch-jobs; Lambda polls the queue of an event source by five connections for 20 s each.

Opt-in: a dashboard ${dollars(cost('dashboard', 1), 2)}, a firewall (WAF) from ${dollars(cost('webAcl', 1), 2)}, a hosted zone for a domain ${dollars(cost('hostedZone', 1), 2)} a month.

In use the service tells ${Object.keys(METRICS).length} metrics of its own, each only in hours in which there is something to tell: at most ${dollars(cost('customMetric', Object.keys(METRICS).length), 2)} a month.

## 1,000 jobs

A job costs what its requests cost, and the time for which a worker runs it. The client creates it, reads its status ${SCENARIO.statusReads} times and its result once; the job is a short one whose
output is one object.

${table(['part', ...jobServices(fixed), '$ for 1,000 jobs'], partRows(fixed, jobServices(fixed)))}

${table(['1,000 minutes of running', ...jobServices(minutes), '$'], partRows(minutes, jobServices(minutes)))}

${table(
  ['1,000 jobs, each running for', 'on demand', `on Spot (at best ${Math.round(SPOT_DISCOUNT * 100)} % off)`],
  MINUTES.map((count) => [`${count} min`, dollars(total(count, 0), 2), dollars(total(count, spot), 2)]),
)}

One job runs on a worker at a time. Fargate charges from the pulling of the image on, and ${FARGATE_MINIMUM_SECONDS} s at the least; a worker that waits for work until it leaves costs ${dollars(taskHour(worker) / 60, 4)} a minute. Both are not in these sums.

Waiting for the end: a status read costs ${dollars(1_000 * sumOf(request(counts.status, 'buffered')), 4)} for 1,000, one that waits ${wait} s (\`?wait=${wait}\`) ${dollars(1_000 * sumOf(request(counts.status, 'buffered', wait)), 4)}: few long waits are quicker, polls with pauses are cheaper.

Taken, not counted: a function works ${SCENARIO.functionSeconds * 1000} ms a request, its starts included; count-jobs runs ${SCENARIO.countRounds} times a job (under load it takes many changes at once), and
scale-workers once, which asks as much of the tables as a round of watch-jobs;
a request writes ${SCENARIO.logOfRequest * 1e6} KB of log; output that never pauses is kept once a minute and read once.

## Counted requests

By \`npm run bench:requests\`: the exported functions behind the local gateway and the worker's own modules, on the emulators, which charge by AWS's rules.

${table(
  ['step', 'write units', 'read units', 'SQS requests', 'S3 PUTs', 'S3 GETs'],
  Object.entries(counts).map(([name, step]) => [
    `\`${name}\``,
    ...[step.writes, step.reads, step.sqs, step.s3Puts, step.s3Gets].map(String),
  ]),
)}

## Prices

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
