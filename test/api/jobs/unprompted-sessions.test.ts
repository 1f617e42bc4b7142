import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findCodex } from '../../../worker-container/agents/vendor-binary.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let folder: string;
let service: OwnService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-slow-codex-'));
  const path = join(folder, 'codex');
  await writeFile(path, slowCodex(await findCodex(undefined)));
  await chmod(path, 0o755);
  service = await startService({ env: { PROMPTQ_CODEX_BIN: path } });
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await rm(folder, { recursive: true, force: true });
});

/** codex, which gets no turn to begin with while its working folder has a file named `hold`. */
function slowCodex(codex: string): string {
  return `#!${process.execPath}
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { createInterface } = require('node:readline');
const cli = spawn(${JSON.stringify(codex)}, process.argv.slice(2), { stdio: ['pipe', 'inherit', 'inherit'] });
cli.on('exit', (code) => process.exit(code ?? 1));
cli.stdin.on('error', () => undefined);
process.on('SIGINT', () => undefined);
const lines = createInterface({ input: process.stdin });
lines.on('close', () => cli.stdin.end());
lines.on('line', function pass(line) {
  if (line.includes('"turn/start"') && existsSync('hold')) setTimeout(pass, 20, line);
  else cli.stdin.write(line + '\\n');
});
`;
}

test('an agent interrupted before its session had the prompt starts again from the prompt', async () => {
  const first = await createJob(service, { prompt: 'the first task\ndrill: tool touch hold' });
  expect(await untilEnded(service, first)).toMatchObject({ status: 'SUCCEEDED' });
  const second = await createJob(service, { prompt: 'the second task\ndrill: recall', continue: first });
  // codex has opened the session of the thread, and waits.
  await waitFor(async () => (await service.api('GET', `/jobs/${second}/logs`)).json.stdout?.includes('"id":"thread"'));
  expect((await service.api('POST', `/jobs/${second}/cancel`)).status).toBe(200);
  expect(await untilEnded(service, second)).toMatchObject({ status: 'CANCELLED', attempt: 1 });
  await rm(join(service.home, 'workspaces', 'local_project', first, 'work', 'hold'));
  expect((await service.api('POST', `/jobs/${second}/retry`, { from: 'session' })).status).toBe(200);
  expect(await untilEnded(service, second)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  const { json } = await service.api('GET', `/jobs/${second}/result`);
  expect(json.composed_prompt).toBe('the second task\ndrill: recall');
  for (const task of ['first', 'second']) expect(json.final_message).toContain(`the ${task} task`);
});
