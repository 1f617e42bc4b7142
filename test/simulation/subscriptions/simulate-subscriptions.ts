import { parseArgs } from 'node:util';
import { SubscriptionWorld } from './subscription-world.ts';

/** `npm run prove -- subscriptions [--events N] [--seed N]`: so many events, in worlds of 36 hours each. */

const { values } = parseArgs({
  options: { events: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
Error.stackTraceLimit = 0;
const wanted = Number(values.events);
let [events, accepted, dropped, worlds, broken] = [0, 0, 0, 0, 0];
for (let seed = Number(values.seed); events < wanted && broken === 0; seed += 1) {
  const report = await new SubscriptionWorld(seed).run(36);
  events += report.events;
  accepted += report.accepted;
  dropped += report.dropped;
  worlds += 1;
  for (const violation of report.violations.slice(0, 5)) console.log(`seed ${seed}: ${violation}`);
  broken += report.violations.length > 0 ? 1 : 0;
}
console.log(
  `${events} events to 4 receivers in ${worlds} worlds: ${accepted} accepted, again or not, ${dropped} dropped`,
);
console.log(broken === 0 ? 'each was accepted in the order of its job, or is recorded as dropped' : 'broken');
process.exitCode = broken === 0 ? 0 : 1;
