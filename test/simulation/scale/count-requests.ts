import { minuteWith } from './open-questions.ts';

/** `npm run prove -- questions [COUNT…]`: what a minute costs a deployment in which so many questions are open. */

const DEFAULT_COUNTS = [10, 100_000];

const given = process.argv.slice(2).map(Number);
for (const open of given.length > 0 ? given : DEFAULT_COUNTS) {
  const began = performance.now();
  const minute = await minuteWith(open);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`${open} open questions: ${JSON.stringify(minute)}, after ${seconds} s`);
}
