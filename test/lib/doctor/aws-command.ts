import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';

/** Stands in for the command `aws` in the tests of a file or a group. To be called outside of tests. */
export function awsCommand() {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  });
  afterAll(async () => await rm(folder, { recursive: true, force: true }));
  afterEach(() => void vi.unstubAllEnvs());
  return {
    /** A file that a script may write to, for this name. */
    path: (name: string) => join(folder, name),
    /** Until the end of the test, `aws` is a shell script of these lines. */
    async runs(...lines: readonly string[]): Promise<void> {
      await writeFile(join(folder, 'aws'), ['#!/bin/sh', ...lines, ''].join('\n'));
      await chmod(join(folder, 'aws'), 0o755);
      vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`);
    },
  };
}
