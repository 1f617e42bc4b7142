import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService } from '../../../local-run/local-service.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

it('the configuration file is applied at the start, which prints how each changed profile runs', async () => {
  const path = join(folder, 'right.yaml');
  const rules = [{ id: 'from-file', text: 'Be brief.' }];
  const profiles = [
    { name: 'codex', agent: 'shell' },
    {
      name: 'other',
      agent: 'codex',
      sandbox: 'read-only',
      args: ['-c', '\u001b\u009bü'],
      env: { OPENAI_BASE_URL: 'x' },
    },
  ];
  await writeFile(path, JSON.stringify({ rules, profiles }));
  const service = await startService({ env: { PROMPTQ_CONFIG: path } });
  try {
    const { json } = await service.api('GET', '/rules');
    expect(json.items).toMatchObject([{ id: 'from-file', name: 'from-file', source: 'imported' }]);
    expect(service.output()).toContain(
      `${path}: 1 rules and 2 profiles are new or different
  profile codex: agent shell, sandbox none
  profile other: agent codex, sandbox read-only, args ["-c","\\u001b\\u009b\\u00fc"], env OPENAI_BASE_URL\n`,
    );
  } finally {
    await service.stop();
  }
});

it('a fault in the configuration file, or a missing one, stops the start with line and path', async () => {
  const path = join(folder, 'wrong.yaml');
  await writeFile(path, 'rules:\n  - id: ok\n    text: 7\n');
  await expect(startService({ env: { PROMPTQ_CONFIG: path } })).rejects.toThrow(
    /wrong\.yaml:3: rules\[0\]\.text: received 7/,
  );
  const missing = join(folder, 'missing.yaml');
  await expect(startService({ env: { PROMPTQ_CONFIG: missing } })).rejects.toThrow(/missing\.yaml \(PROMPTQ_CONFIG\)/);
});
