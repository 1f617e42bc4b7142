import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // What is waited for is a condition; it comes late on a machine that others use too, or that stands still for a while.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // The tests start hundreds of services and workers. Much of a start is compiling the same code again. `npm test` sets it
    // for its own processes, from a path that only the root of the repository resolves.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/node', import.meta.url)) },
    expect: { poll: { timeout: 60_000 } },
    // Most tests wait for processes and leases rather than for a core.
    maxWorkers: 4,
  },
});
