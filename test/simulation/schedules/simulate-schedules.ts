import { parseArgs } from 'node:util';
import { ScheduleWorld } from './schedule-world.ts';

/** `npm run prove -- schedules [--instants N] [--seed N]`: so many due instants, in worlds of a day each. */

const { values } = parseArgs({
  options: { instants: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
Error.stackTraceLimit = 0;
const wanted = Number(values.instants);
const outcomes: Record<string, number> = {};
let [instants, worlds, broken] = [0, 0, 0];
for (let seed = Number(values.seed); instants < wanted && broken === 0; seed += 1) {
  const report = await new ScheduleWorld(seed).run(24);
  instants += report.instants;
  worlds += 1;
  for (const [outcome, count] of Object.entries(report.outcomes)) outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
  for (const violation of report.violations.slice(0, 5)) console.log(`seed ${seed}: ${violation}`);
  broken += report.violations.length > 0 ? 1 : 0;
}
console.log(`${instants} due instants in ${worlds} worlds; entries of the history: ${JSON.stringify(outcomes)}`);
console.log(broken === 0 ? 'each fired once or is recorded as skipped' : 'broken');
process.exitCode = broken === 0 ? 0 : 1;
