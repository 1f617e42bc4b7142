import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startEmulatorProcess } from '../../../../../lib/local/emulators/dynamodb/emulator-process.ts';
import { newRunCredentials } from '../../../../../lib/local/run-access/run-credentials.ts';

test('an emulator that ends before it listens is reported with its last five lines', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const binary = join(folder, 'emulator');
  await writeFile(binary, '#!/bin/sh\nfor n in 1 2 3 4 5 6; do echo "line $n" >&2; done\nexit 3\n', { mode: 0o755 });
  const start = startEmulatorProcess({
    binary,
    file: join(folder, 'db'),
    credentials: newRunCredentials(),
    env: {},
    network: undefined,
    onWrite: () => undefined,
  });
  await expect(start).rejects.toThrow(
    'the DynamoDB emulator did not start; its last words: line 2 / line 3 / line 4 / line 5 / line 6',
  );
});
