import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const COST = readFileSync('docs/operate/cost.md', 'utf8');

test('the amounts that the README names are those of the computed page, or rounded', () => {
  const amounts = readFileSync('README.md', 'utf8').match(/\$\d+(?:\.\d+)?/g) ?? [];
  const computed = COST.match(/\$\d+\.\d+/g) ?? [];
  const known = new Set([...computed, ...computed.map((amount) => `$${Math.round(Number(amount.slice(1)))}`)]);
  expect(amounts.length).toBeGreaterThan(4);
  expect(amounts.filter((amount) => !known.has(amount))).toEqual([]);
});
