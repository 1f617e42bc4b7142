import { parseArgs } from 'node:util';
import { measureScale } from './measure-scale.ts';

/** Prints what DynamoDB's partitions refuse at so many jobs a second, by a model of them; an hour each. */
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3600' } } });
const seconds = Number(values.seconds);
const RATES = [100, 300, 1_000, 3_000];
const WORLDS = { '100 projects': 100, 'one project': 1 } as const;

/** Jobs of ten seconds, in workers of eight slots, while a million others wait. */
const fleetAt = (rate: number) => {
  const slots = Math.min(10_000, rate * 10);
  return { slots, workers: Math.ceil(slots / 8), hasBacklog: true };
};

/** One minute of many jobs among ten of few. */
const hotMinute = (few: number, many: number) =>
  Array.from({ length: 660 }, (_, second) => (second >= 300 && second < 360 ? many : few));

console.log(
  '| jobs/s | of | refused writes | and reads | with bursts | start waits, p95 | counts lag | refuses first | at the end |',
);
console.log('|---|---|---|---|---|---|---|---|---|');
for (const rate of RATES)
  for (const [world, projects] of Object.entries(WORLDS))
    await row(String(rate), world, {
      rates: Array.from({ length: seconds }, () => rate),
      projects,
      fleet: fleetAt(rate),
    });
for (const many of [1_000, 3_000])
  await row(`100, a minute of ${many}`, 'one project', {
    rates: hotMinute(100, many),
    projects: 1,
    fleet: fleetAt(many),
  });

async function row(rate: string, world: string, options: Parameters<typeof measureScale>[0]): Promise<void> {
  const { refused, wait, lag, first, last } = await measureScale(options);
  const withBursts = (await measureScale({ ...options, bursts: true })).refused;
  const cells = [
    ...[rate, world, percent(refused.writes), percent(refused.reads)],
    percent(Math.max(withBursts.writes, withBursts.reads)),
    ...[`${wait.toFixed(1)} s`, `${lag.toFixed(1)} s`, first ?? '–', last.join(', ') || '–'],
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

function percent(share: number): string {
  return share === 0 ? '0' : `${(100 * share).toFixed(2)} %`;
}
