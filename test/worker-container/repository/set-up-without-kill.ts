import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSetup } from '../../../worker-container/repository/setup-command.ts';
import { readRecord } from '../../../worker-container/repository/worktree-record.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { ENV } from '../../simulation/model/environment.ts';

/** Runs a setup command in a worktree, and prints what became of it as JSON. */
const [command = ''] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'promptq-setup-'));
try {
  const [path, record] = [join(folder, 'worktree'), join(folder, 'record.json')];
  await mkdir(path);
  await writeFile(record, JSON.stringify({ base: 'HEAD', isReady: true }));
  let survived = 0;
  const warnings = await runSetup(
    {
      ...{ env: ENV as never, mark: folder, attemptDir: folder, ending: undefined, account: undefined },
      ...{ redaction: new Redaction(), onSurvivors: () => (survived += 1), killTimeoutMs: 500 },
    },
    { agentEnv: { PATH: '/usr/bin:/bin' }, setupLog: join(folder, 'setup.log') },
    { path, clone: '', record, base: 'HEAD', warnings: [] },
    command,
  );
  const isSetUp = (await readRecord(record))?.setup === command;
  process.stdout.write(JSON.stringify({ warnings, isSetUp, survived }));
} finally {
  await rm(folder, { recursive: true, force: true });
}
