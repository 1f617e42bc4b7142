import { bestPrice, compare, MAX_WORKERS } from './compare.ts';

/** `npm run prove -- scaling [SEED]`: ours and two ECS services on the same traces; prints a table. */
const seed = Number(process.argv[2] ?? 1);
const began = process.cpuUsage();
const outcomes = await compare({ seed });

console.log(`seed ${seed}, at most ${MAX_WORKERS} workers of 1 vCPU and 4 GB on arm64, one job each\n`);
const head = [
  'trace',
  'policy',
  'start p50',
  'start p95',
  'others p95',
  '$',
  '$ / best',
  'killed busy',
  'by Spot',
  'undone',
];
console.log(line(head));
console.log(line(head.map(() => '---')));
for (const { trace, policy, p50, p95, others, dollars, killed, reclaimed, undone } of outcomes) {
  const ratio = undone > 0 ? '–' : (dollars / bestPrice(outcomes, trace)).toFixed(2);
  const cells = [p50, p95, others?.p95].map((value) => (value === undefined ? '' : seconds(value)));
  console.log(line([trace, policy, ...cells, dollars.toFixed(2), ratio, killed, reclaimed, undone].map(String)));
}
const single = outcomes.find(({ trace, policy }) => trace === 'single' && policy === 'ours');
const added = Object.entries(single?.overStart ?? {}).map(([name, value]) => `${name} ${value.toFixed(2)} s`);
console.log(`\nfrom zero, what is added to Fargate's own start: ${added.join(', ')}`);
console.log(
  `\nthe burst with other limits:\n\n${line(['maxWorkers', 'ours p95', '(b) p95', 'ratio', 'ours $', '$ / best'])}`,
);
console.log(line(Array.from({ length: 6 }, () => '---')));
for (const maxWorkers of [10, 50, 100, 400]) {
  const burst = await compare({ seed, maxWorkers, only: ['burst of 1,000'] });
  const [ours, , stepping] = burst;
  if (ours === undefined || stepping === undefined) continue;
  const ratios = [stepping.p95 / ours.p95, ours.dollars / bestPrice(burst, ours.trace)].map((ratio) =>
    ratio.toFixed(2),
  );
  const cells = [maxWorkers, seconds(ours.p95), seconds(stepping.p95), ratios[0], ours.dollars.toFixed(2), ratios[1]];
  console.log(line(cells.map(String)));
}
const { user, system } = process.cpuUsage(began);
console.log(`\n${((user + system) / 1e6).toFixed(1)} s of CPU`);

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function seconds(value: number): string {
  if (!Number.isFinite(value)) return 'never';
  return value < 600 ? `${value.toFixed(0)} s` : `${(value / 60).toFixed(0)} min`;
}
