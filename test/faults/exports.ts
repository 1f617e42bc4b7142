import { parseArgs } from 'node:util';
import { exportUnderKills } from './export-kills.ts';

/** `npm run prove -- exports [--jobs N] [--seed N]`: kills a local run while it exports jobs, and compares file and list. */
const { values } = parseArgs({
  options: { jobs: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const report = await exportUnderKills({
  jobs: Number(values.jobs),
  seed: Number(values.seed),
  log: (line) => console.error(line),
});
console.log(JSON.stringify(report, null, 2));
process.exitCode = report.findings.length === 0 ? 0 : 1;
