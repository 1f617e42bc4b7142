import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../lib/cli/command-table.ts';
import { shellBlocks } from '../../docs/documents.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { commandsOf, emptyHome, PROGRAM } from './promptq-command.ts';

const home = emptyHome();
let service: ServiceUnderTest;
let repository: GitServer;
beforeAll(async () => {
  [service, repository] = await Promise.all([sharedService(), startGitServer()]);
  const program = join(home, 'bin/promptq');
  await mkdir(join(home, 'bin'));
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  await chmod(program, 0o755);
  await writeFile(join(home, 'prompt.txt'), 'Say hello');
});
afterAll(async () => await repository.close());

const git = async (...args: string[]) => (await promisify(execFile)('git', args)).stdout;
const { promptq, json } = commandsOf(() => service, home);

/** Runs the block of docs/guide/command-line.md below a heading, as the user who has logged in. */
async function paste(heading: string, { id = '', cwd = home, more = '' } = {}): Promise<string> {
  const [block = ''] = shellBlocks('docs/guide/command-line.md', heading);
  const script = block
    .replaceAll('http://127.0.0.1:8787', service.baseUrl)
    .replaceAll('.promptq/token', join(service.home, 'token'));
  const env = { ...process.env, PATH: `${join(home, 'bin')}:${process.env.PATH}`, XDG_CONFIG_HOME: home, ID: id };
  const { stdout } = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', `${script}\n${more}`], {
    cwd,
    env,
  });
  return stdout;
}

describe('the guide of the command line', () => {
  test('"Log in", then "Run a job", "Find and read jobs", "Act on jobs", "The service" and "Any other route"', async () => {
    expect(await paste('Log in')).toContain('Logged in to');
    const printed = await paste('Run a job', { more: 'echo "$ID"' });
    expect(printed).toMatch(/building\ndone\nSUCCEEDED: .*\njob_\w+\n$/);
    const id = printed.trim().split('\n').at(-1) ?? '';
    expect(await paste('Find and read jobs', { id })).toContain(`"id":"${id}"`);
    expect(await paste('Act on jobs')).toMatch(/exit code 3\nQUEUED: /);
    expect(await paste('The service')).toContain('0 faults');
    expect(await paste('Any other route')).toContain('"last_30_days"');
  });

  test('"Templates"', async () => {
    const printed = await paste('Templates', { more: 'promptq show "$ID"' });
    expect(printed).toContain('upgrade is version 1\n');
    expect(printed).toMatch(/^values +\{"package":"zod","major":4\}$/m);
    await promptq('templates', 'delete', 'upgrade');
  });

  test('"Files and changes"', async () => {
    await repository.commit({ 'README.md': 'one\n' });
    await promptq('run', '--draft', '--project', 'guide-app', 'true');
    await service.api('PATCH', '/projects/guide-app', { repository: repository.url });
    const script = 'echo two > README.md; echo hi > "$PROMPTQ_ATTACHMENTS/hi.txt"';
    const args = ['run', '--profile', 'shell', '--project', 'guide-app', script];
    const { id } = (await json('JobResult', args)).value;
    const clone = join(home, 'clone');
    await git('clone', '-q', repository.url, clone);
    expect(await paste('Files and changes', { id, cwd: clone })).toContain('README.md | 2 +-');
    expect(await git('-C', clone, 'status', '--porcelain')).toBe(' M README.md\n?? files/\n');
  });

  test('"Completion": commands, options, and their values', async () => {
    const expected: readonly (readonly [readonly string[], readonly string[]])[] = [
      [
        ['promptq', ''],
        [...COMMANDS.map(({ name }) => name), 'help'],
      ],
      [
        ['promptq', 're'],
        ['result', 'retry', 'remove', 'record'],
      ],
      [
        ['promptq', 'run', '--f'],
        ['--follow', '--file'],
      ],
      [
        ['promptq', 'wait', '--on-interrupt', ''],
        ['detach', 'cancel'],
      ],
      [['promptq', 'completion', 'z'], ['zsh']],
    ];
    const complete = expected.map(([words]) => {
      const line = words.map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _promptq; echo "\${COMPREPLY[@]}"`;
    });
    const printed = await paste('Completion', { more: complete.join('\n') });
    expect(printed.trim().split('\n')).toEqual(expected.map(([, values]) => values.join(' ')));
  });

  test('completion for fish names every command and option, and an unknown shell is wrong', async () => {
    const { stdout } = await promptq('completion', 'fish');
    for (const { name } of COMMANDS) expect(stdout).toContain(` -a ${name} -d '`);
    expect(stdout).toContain("'__fish_seen_subcommand_from logs' -s f -l follow -d '");
    expect(stdout).toContain("'__fish_seen_subcommand_from completion' -f -a 'bash zsh fish' -d '");
    expect((await promptq('completion', 'zsh')).stdout).toContain('bashcompinit');
    expect(await promptq('completion', 'ksh')).toMatchObject({ code: 2 });
  });
});
