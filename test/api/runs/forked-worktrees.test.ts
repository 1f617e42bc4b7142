import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
let server: GitServer;
let base: string;
beforeAll(async () => {
  [service, server] = await Promise.all([sharedService(), startGitServer()]);
  base = await server.commit({ 'README.md': 'one\n', '.gitignore': 'ignored\n' });
  await createJob(service, { project: 'app', profile: 'shell', prompt: 'true', draft: true });
  const settings = { repository: server.url, setup: 'touch ignored' };
  expect((await service.api('PATCH', '/projects/app', settings)).status).toBe(200);
});
afterAll(async () => await Promise.all([server.close()]));

const ended = async (fields: Record<string, unknown>) => {
  const id = await createJob(service, { profile: 'shell', ...fields });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  return { id, ...(await service.api('GET', `/jobs/${id}/result`)).json };
};
const folderOf = (id: string) => join(service.home, 'workspaces', 'app', id, 'work');
/** Everything in a worktree and in its repository: content, modes and times. */
const stateOf = (id: string) =>
  execFileSync(
    'bash',
    ['-c', 'find . -printf "%p %y %m %T@ %s %l\\n" | sort; find . -type f -print0 | sort -z | xargs -0 cat'],
    {
      cwd: folderOf(id),
      encoding: 'latin1',
    },
  );
const recordOf = async (id: string) => {
  const [file = ''] = execFileSync('find', [join(service.home, 'workspaces/.repositories'), '-name', `${id}.json`], {
    encoding: 'utf8',
  }).split('\n');
  return { file, content: JSON.parse(await readFile(file, 'utf8')) };
};

const WORK = `echo two >>README.md; git commit -qam work; echo three >>README.md; echo new >new.txt; chmod 755 new.txt
  rm ignored; mkdir sub; echo x >sub/staged; git add sub/staged`;
const LOOK = `git log --format=%s; git status --porcelain; cat README.md; stat -c %a new.txt; ls; git branch --show-current`;

test('a fork has the commits and changes of the forked worktree, which stays unchanged', async () => {
  const first = await ended({ project: 'app', prompt: WORK });
  const before = stateOf(first.id);
  const fork = await ended({ fork: first.id, prompt: `${LOOK}; echo forked >README.md; git commit -qam forked` });
  expect(stateOf(first.id)).toBe(before);
  expect(fork.stdout).toBe(
    `work\nchange\n M README.md\n?? new.txt\n?? sub/\none\ntwo\nthree\n755\nREADME.md\nignored\nnew.txt\nsub\npromptq/${fork.id}\n`,
  );
  expect(fork.changes).toMatchObject({ branch: `promptq/${fork.id}`, base, files: 3 });
  const copy = stateOf(fork.id);
  const second = await ended({ continue: first.id, prompt: 'cat README.md; git log --format=%s' });
  expect(second.stdout).toBe('one\ntwo\nthree\nwork\nchange\n');
  expect(stateOf(fork.id)).toBe(copy);
  const again = await ended({ fork: fork.id, prompt: 'git log --format=%s; git status --porcelain; cat README.md' });
  expect(again.stdout).toBe('forked\nwork\nchange\n?? new.txt\n?? sub/\nforked\n');
});

test('a fork makes the snapshot that the worker of the last attempt did not make', async () => {
  const first = await ended({ project: 'app', prompt: WORK });
  const { file, content } = await recordOf(first.id);
  expect(content.snapshot).toMatchObject({ turn: `${first.id}/1` });
  const bundle = file.replace(/json$/, 'bundle');
  await rm(bundle);
  await writeFile(file, JSON.stringify({ ...content, snapshot: { ...content.snapshot, turn: 'earlier/1' } }));
  const before = stateOf(first.id);
  const fork = await ended({ fork: first.id, prompt: 'git log --format=%s; git status --porcelain' });
  expect(fork.stdout).toBe('work\nchange\n M README.md\n?? new.txt\n?? sub/\n');
  expect(stateOf(first.id)).toBe(before);
});
