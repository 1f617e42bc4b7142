import { parseArgs } from 'node:util';
import { measureScale } from './measure-scale.ts';

/** Prints what DynamoDB's partitions refuse at so many jobs a second, by a model of them; an hour each. */
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3600' } } });
const RATES = [100, 300, 1_000, 3_000];
const WORLDS = { '100 projects': 100, 'one project': 1 } as const;

console.log('| jobs/s | of | refused writes | a write waits | counts lag | refuses first | refuses at the end |');
console.log('|---|---|---|---|---|---|---|');
for (const rate of RATES) {
  for (const [world, projects] of Object.entries(WORLDS)) {
    const { refused, wait, lag, first, last } = measureScale({ rate, projects, seconds: Number(values.seconds) });
    const share = refused === 0 ? '0' : `${(100 * refused).toFixed(1)} %`;
    const times = [`${wait.toFixed(0)} s`, `${lag.toFixed(1)} s`].join(' | ');
    console.log(`| ${rate} | ${world} | ${share} | ${times} | ${first ?? '–'} | ${last.join(', ') || '–'} |`);
  }
}
