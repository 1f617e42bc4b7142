import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService } from '../../../local-service.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

it('the configuration file is applied at the start', async () => {
  const path = join(folder, 'right.yaml');
  await writeFile(path, 'rules:\n  - id: from-file\n    text: Be brief.\n');
  const service = await startService({ env: { PROMPTQ_CONFIG: path } });
  try {
    const { json } = await service.api('GET', '/rules');
    expect(json.items).toMatchObject([{ id: 'from-file', name: 'from-file', source: 'imported' }]);
  } finally {
    await service.stop();
  }
});

it('a fault in it stops the start and is reported with line and path, as is a missing named file', async () => {
  const path = join(folder, 'wrong.yaml');
  await writeFile(path, 'rules:\n  - id: ok\n    text: 7\n');
  await expect(startService({ env: { PROMPTQ_CONFIG: path } })).rejects.toThrow(
    /wrong\.yaml:3: rules\[0\]\.text: received 7/,
  );
  const missing = join(folder, 'missing.yaml');
  await expect(startService({ env: { PROMPTQ_CONFIG: missing } })).rejects.toThrow(/missing\.yaml \(PROMPTQ_CONFIG\)/);
});
