import { globSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { isLongRun } from './test/vitest/amount.ts';
import { needsOwnProcess } from './test/vitest/own-process.ts';
import { ServicesFirst } from './test/vitest/test-order.ts';

const TESTS = join(import.meta.dirname, 'test/');
const [own, shared] = [true, false].map((isOwn) =>
  globSync('**/*.test.ts', { cwd: TESTS })
    .filter((file) => isLongRun || !file.endsWith('.long.test.ts'))
    .filter((file) => needsOwnProcess(join(TESTS, file), TESTS) === isOwn)
    .map((file) => `test/${file}`),
);

export default defineConfig({
  test: {
    // A process that runs one file after the other loads zod, the AWS SDK and the CDK once instead of once a file.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: shared,
          isolate: false,
          setupFiles: ['test/vitest/shared-process.ts', 'test/vitest/processor-time.ts'],
        },
      },
      { extends: true, test: { name: 'own', include: own, setupFiles: 'test/vitest/processor-time.ts' } },
    ],
    // What is waited for is a condition; it comes late on a machine that others use too, or that stands still for a while.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // The tests start hundreds of services and workers. Much of a start is compiling the same code again. `npm test` sets it
    // for its own processes, from a path that only the root of the repository resolves.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    expect: { poll: { timeout: 60_000, interval: 150 } },
    sequence: { sequencer: ServicesFirst },
    // Most tests wait for processes and leases rather than for a core.
    maxWorkers: 4,
  },
});
