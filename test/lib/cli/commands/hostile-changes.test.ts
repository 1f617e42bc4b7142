import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { commandLine, temporaryFolder } from '../command-line.ts';

/** Diffs of a hostile job or service, pulled into a tree on a person's machine. What ran leaves a file `ran-…`. */
const machine = temporaryFolder();
const ran = join(machine, 'ran');
const traces = () => readdirSync(machine).filter((name) => name.startsWith('ran-'));
const write = (path: string, content: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};

const here = commandLine();
const own = process.cwd();
const tree = join(machine, 'tree');
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: tree, encoding: 'utf8' });
beforeAll(() => {
  for (const path of ['file', 'below/file', 'have/HEAD', 'tools/hooks/README']) write(join(tree, path), 'one\n');
  symlinkSync('below', join(tree, 'in'));
  symlinkSync('../outside', join(tree, 'out'));
  symlinkSync('../file', join(tree, 'below/up'));
  mkdirSync(join(machine, 'outside'));
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'x');
  git('config', 'core.hooksPath', 'tools/hooks');
});
beforeEach(() => process.chdir(own));
afterAll(() => process.chdir(own));

/** A diff that makes a file or a link. */
const added = (path: string, text = 'x', mode = '100644') =>
  `diff --git "a/${path}" "b/${path}"\nnew file mode ${mode}\nindex 0000000..1111111\n--- /dev/null\n+++ "b/${path}"\n` +
  `@@ -0,0 +1 @@\n+${text}\n\\ No newline at end of file\n`;
const link = (path: string, to: string) => added(path, to, '120000');
const changed = (path: string, from: string, to: string, mode: string) =>
  `diff --git a/${path} b/${path}\nindex 1111111..2222222 ${mode}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${from}\n` +
  `\\ No newline at end of file\n+${to}\n\\ No newline at end of file\n`;
const moved = (from: string, to: string) =>
  `diff --git a/${from} b/${to}\nsimilarity index 100%\nrename from ${from}\nrename to ${to}\n`;
const SUBMODULE = `Subproject commit ${'1'.repeat(40)}`;

/** Pulls a diff into the tree. */
async function pulled(diff: string, ...args: readonly string[]) {
  process.chdir(join(tree, 'below'));
  const sha256 = createHash('sha256').update(diff).digest('hex');
  const attachment = { path: '.promptq/changes.diff', name: 'd', attempt: 1, bytes: 1, content_type: 'x', sha256 };
  const changes = { files: 1, insertions: 1, deletions: 0, stat: 's', truncated: false, masked: false };
  const { PATH, HOME } = process.env;
  return await here(
    ['pull', 'j', ...args],
    {
      'GET /jobs/j': { changes },
      'GET /jobs/j/attachments': { items: [attachment] },
      'GET /jobs/j/attachments/d?attempt=1': () => new Response(diff),
    },
    { env: { PATH, HOME } },
  );
}

it.each<[shape: string, diff: string, message: string]>([
  ['a link to an absolute path', link('l', '/etc'), 'l is a link to /etc'],
  ['a link out of the tree', link('below/l', '../../.config'), 'below/l is a link to ../../.config'],
  ['a link whose way back leaves the tree', link('l', 'below/../../x'), 'l is a link to below/../../x'],
  ['a link into the folder of git', link('l', '.git/info'), 'l is a link to .git/info'],
  ['a link into it in another spelling', link('below/l', '../.GIT./hooks'), 'below/l is a link'],
  ['a link in another spelling of its mode', added('l', '/etc', '0120000'), 'l is a link to /etc'],
  ['a path through a link in the same diff', `${link('l', 'below')}${added('l/x')}`, 'the changes '],
  ['a path through a link that is there', added('in/x'), 'do not apply here'],
  ['a path through a link that leads out', added('out/x'), 'do not apply here'],
  ['a link that is there, led elsewhere', changed('in', 'below', '/etc', '120000'), 'in is a link to /etc'],
  ['a link that leaves where it is moved', moved('below/up', 'up'), 'up is a link to ../file'],
  ['a new submodule', added('s', SUBMODULE, '160000'), 'they change a submodule'],
  ['another commit of a submodule', changed('s', SUBMODULE, SUBMODULE, '160000'), 'they change a submodule'],
  ...['.git/hooks/post-checkout', '.GIT/config', 'git~1/config', 'below/.g\u200Cit/config', '.git '].map(
    (path): [string, string, string] => [JSON.stringify(path), added(path), `${path}: git runs commands`],
  ),
  ['an old kind of diff', '--- a/.git/config\n+++ b/.git/config\n@@ -1 +1 @@\n-a\n+b\n', '.git/config: git takes'],
  [
    'a bare repository',
    ['r/HEAD', 'r/objects/x', 'r/refs/x', 'r/config'].map((path) => added(path)).join(''),
    'r/HEAD: git takes',
  ],
  ['the rest of one', added('have/objects/x'), 'have/objects/x: git takes its folder for a repository'],
  ['a path above', added('../x'), '../x: it names no place below the folder'],
  ['an absolute path', added('/tmp/x'), '/tmp/x: it names no place below the folder'],
  ['a name with controls', added('a\\033[2Jb'), 'its name has control characters'],
])('pull refuses %s, whatever is allowed, and writes nothing', async (_, diff, message) => {
  for (const args of [['--allow-config'], ['--allow-config', '--3way']]) {
    const ended = await pulled(diff, ...args);
    expect([ended.code, ended.stdout]).toEqual([1, '']);
    expect(ended.stderr).toContain(message);
  }
  expect([git('status', '--porcelain'), readdirSync(join(machine, 'outside'))]).toEqual(['', []]);
});

it('pull lists files that programs obey and applies them only with --allow-config', async () => {
  const settings = ['.envrc', '.vscode/tasks.json', '.gitattributes', '.npmrc', 'mise.toml', 'a.desktop'];
  const asked = [...settings, 'tools/hooks/pre-push'];
  const diff = [...asked.map((path) => added(path)), link('below/l', '../file'), moved('below/up', 'have/up')].join('');
  const refused = await pulled(diff);
  expect(refused.code).toBe(1);
  for (const path of asked) expect(refused.stderr).toContain(`  ${path}: `);
  expect([refused.stderr.match(/^ {2}/gm)?.length, git('status', '--porcelain')]).toEqual([asked.length, '']);
  expect(await pulled(diff, '--allow-config')).toMatchObject({ code: 0 });
  expect([existsSync(join(tree, '.envrc')), readFileSync(join(tree, 'have/up'), 'utf8')]).toEqual([true, 'one\n']);
  git('reset', '-q', '--hard');
  git('clean', '-fdq');
});

it("pull runs no hook, filter or monitor of the repository's configuration", async () => {
  for (const name of ['core.fsmonitor', 'filter.f.clean', 'filter.f.smudge', 'filter.f.process', 'merge.m.driver'])
    git('config', name, `touch ${ran}-${name}; false`);
  git('config', 'filter.f.required', 'true');
  write(join(tree, '.git/info/attributes'), '* filter=f merge=m\n');
  write(join(tree, 'tools/hooks/post-index-change'), `#!/bin/sh\ntouch ${ran}-hook\n`);
  chmodSync(join(tree, 'tools/hooks/post-index-change'), 0o755);
  const diff = `${added('new')}diff --git a/file b/file\n--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+two\n`;
  expect(await pulled(diff, '--3way')).toMatchObject({ code: 0 });
  expect([readFileSync(join(tree, 'file'), 'utf8'), traces()]).toEqual(['two\n', []]);
});
