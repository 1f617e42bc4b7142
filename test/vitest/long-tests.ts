import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { someModule } from './own-process.ts';

const TESTS = join(import.meta.dirname, '../');

/**
 * `npm run prove -- tests [TEXT…]`: runs the files `*.long.test.ts`, which `npm test` leaves out, and with larger amounts
 * those that use `amount`. With texts, only files whose path contains one of them.
 */
const wanted = process.argv.slice(2);
const files = globSync('**/*.test.ts', { cwd: TESTS })
  .filter((file) => file.endsWith('.long.test.ts') || someModule(join(TESTS, file), TESTS, usesAmounts))
  .map((file) => `test/${file}`)
  .filter((file) => wanted.length === 0 || wanted.some((text) => file.includes(text)));
if (files.length === 0) {
  console.error(`no file with larger amounts contains ${wanted.join(' or ')}`);
  process.exit(2);
}
const { status } = spawnSync('npm', ['test', '--', ...files], {
  stdio: 'inherit',
  env: { ...process.env, PROMPTQ_LONG_TESTS: '1' },
});
process.exitCode = status ?? 1;

function usesAmounts(text: string): boolean {
  return /\bfrom '[^']*\/amount\.ts'/.test(text);
}
