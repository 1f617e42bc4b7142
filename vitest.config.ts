import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { isLongRun } from './test/vitest/amount.ts';
import { LongFoldersFirst } from './test/vitest/test-order.ts';

/**
 * Tests that change their process for the next file (its environment or folder, its globals, the modules it has loaded)
 * have a process each: whole folders, and single files of others. `shared-process.ts` fails a file that belongs here.
 */
const OWN = [
  'test/functions/**/*.test.ts',
  'test/lib/{api,cli,local}/**/*.test.ts',
  'test/{openapi,simulation}/**/*.test.ts',
  'test/api/access/{access-matrix,principals,sign-in}.test.ts',
  'test/api/jobs/{claude-job,questions}.test.ts',
  'test/contract/one-table.test.ts',
  'test/lib/access/origin-secret.test.ts',
  'test/lib/client/transport.test.ts',
  'test/lib/doctor/{before-deploy,check-aws}.test.ts',
  'test/lib/platform/aws/places.test.ts',
  'test/lib/platform/operations/emit-metrics.test.ts',
  'test/lib/stacks/functions/bundled-functions.test.ts',
  'test/lib/workers/scaling/{launch-failures,scale-workers}.test.ts',
  'test/nightly/process-tree-by-ps.test.ts',
  'test/worker-container/commands/process-tree*.test.ts',
];
const LEFT_OUT = isLongRun ? [] : ['test/nightly/**'];

export default defineConfig({
  test: {
    // A process that runs one file after the other loads zod, the AWS SDK and the CDK once instead of once a file.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...OWN, ...LEFT_OUT],
          isolate: false,
          setupFiles: ['test/vitest/shared-process.ts', 'test/vitest/processor-time.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'own', include: OWN, exclude: LEFT_OUT, setupFiles: 'test/vitest/processor-time.ts' },
      },
    ],
    // What is waited for is a condition; it comes late on a machine that others use too, or that stands still for a while.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // The tests start hundreds of services and workers. Much of a start is compiling the same code again. `npm test` sets it
    // for its own processes, from a path that only the root of the repository resolves.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    expect: { poll: { timeout: 60_000, interval: 150 } },
    sequence: { sequencer: LongFoldersFirst },
    // Most tests wait for processes and leases rather than for a core.
    maxWorkers: 4,
  },
});
