import { existsSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { AttemptContext } from '../../../worker-container/attempt/attempt.ts';
import { keepAttemptFiles, makeAttemptFiles, openPersonal } from '../../../worker-container/attempt/attempt-files.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { ENV } from '../../simulation/model/environment.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { describeAsRoot, newAccounts } from '../service-accounts/as-root.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

const contextOf = (account?: ServiceAccount) => ({
  ...{ account, env: { ...ENV, HOME: folder, PROMPTQ_WORK_DIR: folder } as never },
  folders: { workspaces: '/workspaces', roots: [] },
});
const make = (account?: ServiceAccount) => makeAttemptFiles(folder, contextOf(account), aRunningJob());

/** Stores the files of an attempt. */
async function keep(files: ReturnType<typeof makeAttemptFiles>, account?: ServiceAccount) {
  const log = new Logger({ logLevel: 'SILENT' });
  const worker = { ...quietDeployment(), env: ENV, account, log } as unknown as AttemptContext;
  const attempt = { worker, job: aRunningJob(), files, redaction: new Redaction() };
  return await keepAttemptFiles(attempt, new AbortController().signal);
}

it('what the worker adds is stored with the files of the agent, in place of what that put there', async () => {
  const files = make();
  await writeFile(join(files.attachments, 'report.md'), 'all of it');
  await writeFile(join(files.own, 'setup.log'), 'done');
  const elsewhere = join(folder, 'elsewhere');
  await mkdir(elsewhere);
  await symlink(elsewhere, join(files.attachments, '.promptq'));
  const { attachments, warnings } = await keep(files);
  expect(attachments.map(({ path, bytes }) => [path, bytes]).toSorted()).toEqual([
    ['.promptq/setup.log', 4],
    ['report.md', 9],
  ]);
  expect([warnings, await readdir(elsewhere)]).toEqual([[], []]);
});

it("an agent without an account has its user's home, and files of its own for what its commands set", async () => {
  await writeFile(join(folder, '.npmrc'), 'color=false');
  const own = await openPersonal({ ...contextOf(), slot: 3 }, aRunningJob(), 'setup');
  const { TMPDIR = '', npm_config_userconfig = '', ...others } = own.environment;
  const settings = join(folder, 'attempts/setup/settings');
  expect(others).toEqual({
    ...{ GIT_CONFIG_GLOBAL: join(settings, 'gitconfig'), PATH: `${ENV.PATH}:${join(settings, 'npm/bin')}` },
    ...{ GIT_CEILING_DIRECTORIES: `/workspaces/local_project/${aRunningJob().id}` },
    ...{ PROMPTQ_SLOT: '3', PROMPTQ_PORT: '21060' },
  });
  expect(await readFile(npm_config_userconfig, 'utf8')).toContain('color=false\nprefix=');
  await writeFile(join(TMPDIR, 'left'), '');
  await own.close();
  expect([existsSync(TMPDIR), await readdir(join(folder, 'attempts'))]).toEqual([false, []]);
});

describeAsRoot('an agent under an account', () => {
  const ownerOf = (path: string) => [statSync(path).uid, statSync(path).gid];

  it('owns its attachments, home, temporary files and caches, and no more', async () => {
    const account = newAccounts(1).slots[0] as ServiceAccount;
    const { personal, attachments, own, agent } = make(account);
    const { HOME, TMPDIR, XDG_CACHE_HOME, npm_config_cache } = personal;
    for (const path of [attachments, HOME, TMPDIR, XDG_CACHE_HOME, npm_config_cache].map(String))
      expect([path, ...ownerOf(path)]).toEqual([path, account.uid, account.gid]);
    for (const path of [own, agent]) expect([path, ...ownerOf(path)]).toEqual([path, 0, 0]);
  });

  it('has its attachments closed to all others before they are read', async () => {
    const account = newAccounts(1).slots[0] as ServiceAccount;
    const files = make(account);
    await writeFile(join(files.attachments, 'report.md'), 'all of it');
    await chown(join(files.attachments, 'report.md'), account.uid, account.gid);
    await chmod(files.attachments, 0o777);
    expect((await keep(files, account)).attachments).toMatchObject([{ path: 'report.md' }]);
    expect(ownerOf(files.attachments)).toEqual([0, 0]);
    expect(statSync(files.attachments).mode & 0o777).toBe(0o700);
  });
});
