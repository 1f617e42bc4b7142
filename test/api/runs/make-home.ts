import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startService, waitFor } from '../../local-run/local-service.ts';
import { findOfHome } from '../../local-run/marked-processes.ts';
import { createJob, untilEnded } from '../job-client.ts';

/**
 * Makes the home that the test of a stored format starts from: `node test/api/runs/make-home.ts FILE.tgz`. Run it once
 * for each format, by the first version that writes it; a file that is there is never made again.
 */
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('say into which file: node test/api/runs/make-home.ts FILE.tgz');
const home = await mkdtemp(join(tmpdir(), 'promptq-format-'));
const service = await startService({ home, env: { PROMPTQ_CONCURRENCY: '1' } });
await service.api('POST', '/config/import', { rules: [{ id: 'kept-rule', text: 'Be brief.' }] });
const shell = { profile: 'shell', project: 'kept' };
const agent = 'remember the blue door\ndrill: tool echo one > "$PROMPTQ_ATTACHMENTS/one.txt"';
for (const fields of [
  { ...shell, prompt: 'echo kept; echo file > file.txt', title: 'ended' },
  { ...shell, prompt: 'exit 3', title: 'failed' },
  { prompt: agent, project: 'kept', title: 'agent', rule_ids: ['kept-rule'] },
]) {
  const id = await createJob(service, fields);
  await untilEnded(service, id);
  // Workers delete it a week after the end.
  await rm(join(home, 'workspaces/kept', id), { recursive: true });
}
await createJob(service, { ...shell, prompt: 'echo draft', title: 'draft', draft: true });
const once = '[ -e begun ] || { touch begun; sleep 600; }; echo again';
const running = await createJob(service, { ...shell, prompt: once, title: 'lost' });
await createJob(service, { ...shell, prompt: 'echo waited', title: 'waiting', priority: -1 });
await waitFor(async () => existsSync(join(home, 'workspaces/kept', running, 'work/begun')));
const processes = findOfHome(home);
await service.kill9();
for (const pid of processes) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended with the service.
  }
}
const ofTheRun = ['./logs', './worker', './local.json', './.config'].map((path) => `--exclude=${path}`);
execFileSync('tar', ['-czf', resolve(file), ...ofTheRun, '-C', home, '.']);
await rm(home, { recursive: true, force: true });
process.exit();
