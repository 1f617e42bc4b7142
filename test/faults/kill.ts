import { parseArgs } from 'node:util';
import { killRounds } from './kill-rounds.ts';

/** `npm run prove -- kill [--rounds N] [--seed N]`: kills parts of a local run under load, and says what was lost. */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});
const report = await killRounds({
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  log: (line) => console.error(line),
});
const findings = Object.values(report).filter(Array.isArray).flat();
console.log(JSON.stringify(report, null, 2));
process.exitCode = findings.length === 0 ? 0 : 1;
