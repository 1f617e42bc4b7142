import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { BashCommand, CommandEnd } from '../../../worker-container/commands/bash-command.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { ENV } from '../../simulation/model/environment.ts';
import { describeAsRoot, newAccounts } from '../service-accounts/as-root.ts';
import { deployingWorker, ID, WELL } from './a-deploying-worker.ts';

const exited = (exitCode: number | null, signal: NodeJS.Signals | null = null): CommandEnd => ({
  ...WELL,
  exit: { exitCode, signal },
});
const LONG = 'x'.repeat(81);

it.each([
  ['an exit code', 'make', exited(3), 'Exit code 3: make'],
  ['a signal', 'make', exited(null, 'SIGKILL'), 'Ended by SIGKILL: make'],
  [
    'a worker that stops',
    'make',
    { ...WELL, ended: 'stopped' },
    'The worker was stopped while this ran, and ended it: make',
  ],
  ['its timeout', 'make', { ...WELL, ended: 'timed out' }, 'It ran longer than 90 seconds: make'],
  ['an exit code, with 80 characters of a long command', LONG, exited(1), `Exit code 1: ${'x'.repeat(80)}…`],
] as const)('a failed command is reported with %s', async (_, command, end, error) => {
  const { deploy, ends, records } = await deployingWorker({ a: { command, timeout_seconds: 90 } });
  ends.push(end);
  await deploy();
  expect(await records()).toMatchObject([{ state: 'failed', error, log: `$ ${command}\n` }]);
});

it('no command is run after one that failed', async () => {
  const steps = { install_command: 'install', build_command: 'build', deploy_command: 'deploy' };
  const { deploy, ends, commands } = await deployingWorker({ a: { binding_mode: 'web_framework', ...steps } });
  ends.push(WELL, exited(1));
  await deploy();
  expect(commands()).toEqual(['install', 'build']);
});

it('processes that survive a command are named in its log, and counted', async () => {
  const { deploy, ends, records } = await deployingWorker({ a: {}, b: {} });
  ends.push({ ...WELL, survivors: [17] });
  let counted = 0;
  await deploy({ onSurvivors: () => (counted += 1) });
  expect(counted).toBe(1);
  const [first, second] = await records();
  expect(first?.log).toMatch(/^\$ a\nprocesses: .*17/);
  expect(second?.log).toBe('$ b\n');
});

it("a command gets the variables of its job's profile, whose secrets its log does not show", async () => {
  const { deploy, deployment, ran, records } = await deployingWorker({ a: { command: 'push --key very-secret-key' } });
  const env = { KEY: { secret: 'KEY' }, REGION: 'here' };
  await deployment.profiles.put({ name: 'practice', agent: 'shell', vendor: 'practice', env } as never);
  await deploy({ secrets: { read: async () => new Map([['KEY', 'very-secret-key']]) } });
  expect(ran[0]?.env).toMatchObject({ KEY: 'very-secret-key', REGION: 'here', PROMPTQ_JOB_ID: ID });
  expect(await records()).toMatchObject([{ state: 'succeeded', log: '$ push --key ***\n' }]);
});

it('a command whose profile was removed gets the variables of every command', async () => {
  const { deploy, ran, records } = await deployingWorker({ a: {} });
  await deploy();
  const { LANG, HOME } = ENV;
  expect(ran[0]?.env).toMatchObject({ LANG, HOME, PROMPTQ_JOB_ID: ID, PROMPTQ_PROJECT: 'local_project' });
  expect(await records()).toMatchObject([{ state: 'succeeded' }]);
});

describeAsRoot('a command under an account', () => {
  it('has the folder of its job and a home, until it has ended', async () => {
    const root = await mkdtemp(join(tmpdir(), 'promptq-account-'));
    onTestFinished(async () => await rm(root, { recursive: true }));
    await chmod(root, 0o711);
    const [account] = newAccounts(1).slots as [ServiceAccount];
    const work = join(root, 'work');
    await mkdir(work, { mode: 0o711 });
    const env = { ...ENV, PROMPTQ_WORK_DIR: work, PROMPTQ_WORKSPACES: join(root, 'workspaces') };
    const { deploy, records } = await deployingWorker({ a: {} });
    const during: unknown[] = [];
    const folder = join(env.PROMPTQ_WORKSPACES, 'local_project', ID);
    const runCommand = async ({ cwd }: BashCommand) => {
      during.push(cwd, (await stat(cwd)).uid, (await readdir(join(work, 'attempts'))).length);
      return WELL;
    };
    const folders = { workspaces: env.PROMPTQ_WORKSPACES, roots: [] };
    await deploy({ account, env, folders, machine: { runCommand } });
    expect(await records()).toMatchObject([{ state: 'succeeded' }]);
    expect(during).toEqual([join(folder, 'work'), account.uid, 1]);
    expect([(await stat(folder)).uid, await readdir(join(work, 'attempts'))]).toEqual([0, []]);
  });
});
