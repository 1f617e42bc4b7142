import { spawnSync } from 'node:child_process';

/**
 * `npm run prove -- nightly [TEXT…]`: all tests with larger amounts, and those of `test/nightly`, which `npm test` leaves
 * out. With texts, only files whose path contains one of them.
 */
const { status } = spawnSync('npm', ['test', '--', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, PROMPTQ_LONG_TESTS: '1' },
});
process.exitCode = status ?? 1;
