import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerEnv } from '../../../lib/platform/config/worker-env.ts';
import type { GitSurroundings } from '../../../worker-container/repository/git.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { REQUIRED_SETTINGS } from '../required-settings.ts';

/** Where git's calls run in a test: a new folder, with this process's programs and account. */
export async function openSurroundings(secrets: readonly string[] = []): Promise<{
  readonly folder: string;
  readonly surroundings: GitSurroundings;
  /** The same where one subcommand of git ends otherwise: a script that the real git comes after. */
  readonly withGit: (subcommand: string, script: string) => Promise<GitSurroundings>;
  readonly remove: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  const attemptDir = join(folder, 'attempt');
  await mkdir(attemptDir);
  const env = workerEnv.parse({ ...REQUIRED_SETTINGS, PATH: process.env.PATH, PROMPTQ_REPOSITORY_LOOPBACK: '1' });
  const surroundings = {
    ...{ env, attemptDir, mark: `PROMPTQ_TEST=${folder}`, ending: undefined, account: undefined },
    redaction: new Redaction(secrets),
  };
  const withGit = async (subcommand: string, script: string): Promise<GitSurroundings> => {
    const tools = join(folder, 'tools');
    await mkdir(tools, { recursive: true });
    const own = `case " $* " in *" ${subcommand} "*) ${script};; esac; PATH=$REST exec git "$@"`;
    await writeFile(join(tools, 'git'), `#!/bin/bash\nREST='${env.PATH}'; ${own}\n`, { mode: 0o755 });
    return { ...surroundings, env: { ...env, PATH: `${tools}:${env.PATH}` } };
  };
  return { folder, surroundings, withGit, remove: async () => await rm(folder, { recursive: true }) };
}
