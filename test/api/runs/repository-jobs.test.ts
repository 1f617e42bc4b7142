import { execFileSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { createJob, untilEnded } from '../job-client.ts';

const SECRET = 'tok-7f3a9c1e5b';
let service: ServiceUnderTest;
let open: GitServer;
let guarded: GitServer;
let first: string;
beforeAll(async () => {
  [service, open, guarded] = await Promise.all([
    sharedService(),
    startGitServer(),
    startGitServer({ credentials: `bot:${SECRET}` }),
  ]);
  first = await open.commit({ 'README.md': 'one\ntwo\nthree\n', '.gitignore': 'ignored\n' });
  await open.commit({ 'feature.txt': 'feature\n' }, 'feature');
  await guarded.commit({ 'private.txt': 'private\n' });
});
afterAll(async () => await Promise.all([open.close(), guarded.close()]));

const start = async (project: string, prompt: string, settings: Record<string, unknown> = {}) =>
  await createJob(service, { project, profile: 'shell', prompt, ...settings });
const setting = async (project: string, settings: Record<string, unknown>) => {
  const change = async () => await service.api('PATCH', `/projects/${project}`, settings);
  const made = await change();
  if (made.status !== 404) return made;
  // Projects are made by their first job.
  await start(project, 'true', { draft: true });
  return await change();
};
const ended = async (id: string) => {
  await untilEnded(service, id);
  const { json } = await service.api('GET', `/jobs/${id}/result`);
  return json;
};
const attachment = async (id: string, name: string) =>
  (await service.api('GET', `/jobs/${id}/attachments/${encodeURIComponent(name)}`)).text;
const DIFF = '.promptq%2Fchanges.diff';

test('a job works in a separate worktree, and its changes are reported', async () => {
  expect((await setting('app', { repository: open.url })).json).toMatchObject({
    id: 'app',
    repository: open.url,
    ref: null,
    exclusive_cwd: false,
  });
  const script = `
    printf 'one\\n2\\nthree\\n' > README.md; printf 'new\\n' > new.txt; printf x > ignored
    git add README.md; git commit -qm work; pwd; git status --porcelain`;
  const id = await start('app', script);
  const result = await ended(id);
  expect(result.stdout).toBe(`${service.home}/workspaces/app/${id}/work\n?? new.txt\n`);
  expect(result.changes).toMatchObject({
    branch: `promptq/${id}`,
    base: first,
    files: 2,
    insertions: 2,
    deletions: 1,
    truncated: false,
    masked: false,
  });
  expect(result.changes.head).not.toBe(first);
  expect(result.changes.stat).toContain('README.md | 2 +-');
  const diff = await attachment(id, DIFF);
  expect(diff).toContain('-two\n+2\n');
  expect(diff).toContain('+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n');
  expect(diff).not.toContain('ignored');
  expect((await service.api('GET', `/jobs/${id}`)).json.changes).toEqual(result.changes);
  const call = { name: 'read_diff', arguments: { id } };
  const read = await service.api('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
  expect(read.text, read.text).toContain('+++ b/new.txt');
  const files = (await service.api('GET', `/jobs/${id}/files`)).json;
  expect([files.selection, files.items.map(({ path }: { path: string }) => path)]).toEqual([
    'worktree',
    ['README.md', 'new.txt'],
  ]);
});

test('changes that a job hides by its index or its excludes are reported', async () => {
  await setting('app', { repository: open.url });
  const script = `
    git update-index --assume-unchanged README.md; git update-index --skip-worktree .gitignore
    printf 'one\\n2\\nthree\\n' > README.md; echo more >> .gitignore
    echo 'new*' >> .git/info/exclude; echo x > new.txt; git status --porcelain`;
  const { stdout, changes } = await ended(await start('app', script));
  expect(stdout).toBe('?? new.txt\n');
  expect(changes).toMatchObject({ files: 3, insertions: 3, deletions: 1 });
});

test("two jobs at once don't see each other's files", async () => {
  await setting('pair', { repository: open.url });
  const script = `echo $PROMPTQ_ATTACHMENTS > mine.txt
    until [ $(ls ../../*/work/mine.txt | wc -l) = 2 ]; do sleep 0.05; done; ls; ls ../../*/work/mine.txt | wc -l`;
  const ids = await Promise.all([start('pair', script), start('pair', script)]);
  for (const id of ids) {
    const { stdout, changes } = await ended(id);
    expect(stdout).toBe('README.md\nmine.txt\n2\n');
    expect(changes).toMatchObject({ files: 1, insertions: 1, base: first });
  }
});

test('the setup command runs once in a worktree, and a retry continues in that worktree', async () => {
  await setting('setup', { repository: open.url, setup: 'echo ran | tee -a setup-runs; echo told >&2' });
  const id = await start('setup', 'cat setup-runs; echo more >> notes; cat notes; exit 1');
  expect((await ended(id)).stdout).toBe('ran\nmore\n');
  expect(await attachment(id, '.promptq%2Fsetup.log')).toBe('ran\ntold\n');
  await service.api('POST', `/jobs/${id}/retry`);
  expect((await ended(id)).stdout).toBe('ran\nmore\nmore\n');
});

test('a failed setup command, a missing ref and an unreachable server are reported', async () => {
  await setting('broken', { repository: open.url, setup: 'echo wrong >&2; exit 3' });
  const setup = await start('broken', 'true');
  expect((await ended(setup)).state_reason).toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining('the setup command failed: exit code 3. wrong'),
  });
  expect(await attachment(setup, '.promptq%2Fsetup.log')).toBe('wrong\n');

  await setting('broken', { ref: 'nowhere', setup: '' });
  const ref = await ended(await start('broken', 'true'));
  expect(ref.state_reason.message).toContain('the repository has no branch, tag or commit "nowhere"');

  await setting('broken', { ref: '', repository: 'http://127.0.0.1:1/none.git' });
  const gone = await ended(await start('broken', 'true'));
  expect(gone.state_reason).toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining('git fetch: fatal:'),
  });
});

test('a branch or a commit can be requested', async () => {
  await setting('refs', { repository: open.url, ref: 'feature' });
  expect((await ended(await start('refs', 'ls'))).stdout).toContain('feature.txt');
  await setting('refs', { ref: first });
  const result = await ended(await start('refs', 'ls'));
  expect(result.stdout).toBe('README.md\n');
  expect(result.changes).toMatchObject({ base: first, head: first, files: 0, insertions: 0 });
});

test('a job whose repository server never answers can be cancelled', async () => {
  await setting('hanging', { repository: guarded.url });
  guarded.hang = true;
  const id = await start('hanging', 'true');
  const children = () =>
    execFileSync('ps', ['-eo', 'pid,args'])
      .toString()
      .split('\n')
      .filter((line) => line.includes(guarded.url));
  try {
    await waitFor(() => children().length > 0);
    await service.api('POST', `/jobs/${id}/cancel`);
    expect((await ended(id)).state_reason.code).toBe('cancelled_by_request');
  } finally {
    guarded.hang = false;
  }
  expect(children()).toEqual([]);
});

test('a secret opens its repository and appears nowhere', async () => {
  await setting('private', { repository: guarded.url, secret: 'APP_REPOSITORY' });
  const missing = await ended(await start('private', 'true'));
  expect(missing.state_reason.message).toContain('needs the secret APP_REPOSITORY, which is not set');

  const line = guarded.url.replace('//', `//bot:${SECRET}@`).replace('/app.git', '');
  await writeFile(
    join(service.home, 'secrets.env'),
    `APP_REPOSITORY=${line}\nOTHER=https://bot:${SECRET}@example.com\n`,
    {
      mode: 0o600,
    },
  );
  const id = await start(
    'private',
    'cat private.txt; env; git config --list --show-origin; echo tok-7f3a9""c1e5b > leak; cat leak',
  );
  const result = await ended(id);
  expect(result.stdout).toContain('private\n');
  expect(result.stdout).not.toContain(SECRET);
  expect(result.stdout).not.toContain('PROMPTQ_GIT');
  expect(await attachment(id, DIFF)).toContain('+***');

  await setting('private', { secret: 'OTHER' });
  const other = await ended(await start('private', 'true'));
  expect(other.state_reason.message).toContain('secret OTHER is for another host');

  await start('private', 'true', { draft: true });
  const found = execFileSync('bash', ['-c', `grep -rlF ${SECRET} . --exclude=secrets.env || true`], {
    cwd: service.home,
  });
  // The agent itself wrote it there.
  expect(found.toString().split('\n').filter(Boolean)).toEqual([`./workspaces/private/${id}/work/leak`]);
});

test.each([
  ['repository', 'git@example.com:team/app.git'],
  ['repository', 'file:///etc'],
  ['repository', '--upload-pack=touch /tmp/x'],
  ['repository', 'https://user:pass@example.com/app.git'],
  ['repository', 'ext::sh -c id'],
  // To git the host is the second one.
  ['repository', 'https://example.com\\@other.example/app.git'],
  ['ref', '--upload-pack=x'],
  ['secret', '../x'],
])('%s %j is rejected', async (name, value) => {
  const { status, json } = await setting('app', { [name]: value });
  expect([status, json.error]).toEqual([400, expect.stringContaining(`body.${name}`)]);
});

test('the worker ignores git configuration and hooks that an agent leaves', async () => {
  await setting('trap', { repository: open.url });
  const trap = `
    trap="touch $PWD/../sprung"
    git config core.fsmonitor "$trap"; git config diff.external "$trap"; git config filter.f.clean "$trap"; git config core.sshCommand "$trap"
    for d in .git ../../../.repositories/trap-*/clone.git; do
      mkdir -p $d/hooks; cp .git/config $d/config 2> /dev/null
      for h in post-checkout post-index-change reference-transaction; do printf '#!/bin/sh\\n%s\\n' "$trap" > $d/hooks/$h; chmod +x $d/hooks/$h; done
    done
    printf '* filter=f diff=f\\n' > .gitattributes; echo changed > README.md; rm -f ../sprung`;
  const result = await ended(await start('trap', trap));
  expect(result.changes).toMatchObject({ files: 2 });
  // Nor does it depend on there being a repository.
  const without = await ended(await start('trap', 'rm -rf .git; echo changed > README.md'));
  expect(without.changes).toMatchObject({ branch: null, base: without.changes.head, files: 1 });
  await ended(await start('trap', 'true'));
  expect(execFileSync('ls', [join(service.home, 'workspaces/trap')]).toString()).not.toContain('sprung');
});

test('in a project with one job per folder, jobs of one cwd run one after the other', async () => {
  await setting('alone', { exclusive_cwd: true });
  const script = 'mkdir busy || exit 9; touch ready; while [ ! -e go ]; do sleep 0.05; done; rmdir busy; rm ready';
  const first = await start('alone', script, { cwd: 'shared' });
  const folder = join(service.home, 'workspaces/alone/shared');
  await waitFor(async () => (await readdir(folder)).includes('ready'));
  const others = await Promise.all([
    start('alone', script, { cwd: 'shared' }),
    start('alone', script, { cwd: 'shared' }),
  ]);
  const waiting = async (id: string) => (await service.api('GET', `/jobs/${id}/status`)).json.state_reason.code;
  for (const id of others) await waitFor(async () => (await waiting(id)) === 'folder_busy');
  expect((await ended(await start('alone', 'echo free', { cwd: 'elsewhere' }))).stdout).toBe('free\n');
  await writeFile(join(folder, 'go'), '');
  for (const id of [first, ...others]) expect((await ended(id)).status).toBe('SUCCEEDED');
});
