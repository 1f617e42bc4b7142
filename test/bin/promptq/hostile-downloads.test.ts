import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { commandsOf, emptyHome } from './promptq-command.ts';

/**
 * A job leaves what programs run in a folder that is entered: `promptq` stores none of it on a person's machine, where the
 * real programs then enter each folder. What ran leaves a file `ran-…`.
 */
const run = promisify(execFile);
const machine = emptyHome();
const ran = join(machine, 'ran');
const PROGRAMS = ['bash', 'git', 'vim', 'zsh', 'direnv'].filter(
  (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0,
);

const sh = (name: string) => `touch ${ran}-${name}\n`;
const ofVim = (name: string) => `call system('touch ${ran}-${name}')\n`;
const gitConfig = (name: string) =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ${ran}-${name}; false"\n`;
const repository = (name: string, folder = '', head = 'HEAD') => ({
  [`${folder}${head}`]: 'ref: refs/heads/main\n',
  [`${folder}objects/.keep`]: '',
  [`${folder}refs/.keep`]: '',
  [`${folder}config`]: gitConfig(name),
});
const json = (name: string) => JSON.stringify({ command: sh(name), hooks: { SessionStart: [{ command: sh(name) }] } });
const ini = (name: string) => `[Desktop Entry]\nType=Application\nExec=${sh(name)}[autorun]\nopen=x.exe\n`;

/** Files of each shape, by path below its folder. */
const SHAPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bare: repository('bare'),
  'bare-below': repository('bare-below', 'a/b/'),
  'bare-lower': repository('bare-lower', '', 'head'),
  'bare-common': { HEAD: 'ref: refs/heads/main\n', commondir: '../bare\n', config: gitConfig('bare-common') },
  'git-folder': repository('git-folder', '.git/'),
  'git-file': { '.git': 'gitdir: ../bare\n' },
  'git-upper': repository('git-upper', '.GIT/'),
  'git-dot': repository('git-dot', '.git. ./'),
  'git-short': repository('git-short', 'git~1/'),
  'git-stream': repository('git-stream', '.git::$INDEX_ALLOCATION/'),
  'git-ignorable': repository('git-ignorable', '.g\u200Cit/'),
  gitconfig: { '.gitconfig': gitConfig('gitconfig'), '.config/git/config': gitConfig('gitconfig') },
  gitmodules: { '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ext::sh\n' },
  gitattributes: { '.gitattributes': '* filter=x\n' },
  hg: { '.hg/hgrc': `[hooks]\npre-status = ${sh('hg')}`, '.hg/requires': '' },
  hgrc: { '.hgrc': `[hooks]\npre-status = ${sh('hgrc')}` },
  svn: { '.svn/wc.db': '' },
  jj: { '.jj/repo/config.toml': 'fsmonitor = "x"\n' },
  ...Object.fromEntries(
    [
      ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.zshenv', '.zshrc'],
      ...['.zprofile', '.zlogin', '.kshrc', '.envrc', '.env', '.nvmrc', '.husky/pre-commit', '.xprofile'],
      ...['.config/fish/config.fish', '.local/bin/git', '.direnv/bin/x'],
    ].map((path) => [path.replaceAll('/', '-').slice(1), { [path]: sh(path.replaceAll('/', '-').slice(1)) }]),
  ),
  ...Object.fromEntries(
    ['.vimrc', '.exrc', '.nvimrc', '.lvimrc', '_vimrc', '.vim/plugin/x.vim'].map((path) => {
      const name = path.replaceAll('/', '-').replace(/^\./, '');
      return [`vim-${name}`, { [path]: ofVim(name), 'notes.txt': 'x\n' }];
    }),
  ),
  modeline: {
    'notes.txt': `x\n/* vim: set fdm=expr fde=system('touch\\ ${ran}-modeline'): */\n`,
    'setup.txt': `x\nvim: set statusline=%{system('touch\\ ${ran}-modeline')} ls=2:\n`,
  },
  inputrc: { '.inputrc': '"\\e": "x"\n' },
  tools: { '.tool-versions': 'node system\n', '.mise.toml': '[hooks]\nenter = "x"\n', 'mise.toml': '[env]\nA = "x"\n' },
  vscode: { '.vscode/tasks.json': json('vscode'), '.vscode/settings.json': '{}' },
  idea: { '.idea/workspace.xml': '<project/>' },
  emacs: { '.dir-locals.el': `((nil . ((eval . (shell-command "${sh('emacs').trim()}")))))\n` },
  claude: { '.claude/settings.json': json('claude') },
  devcontainer: { '.devcontainer/devcontainer.json': '{}' },
  npm: { '.npmrc': 'script-shell=./x\n', '.yarnrc.yml': 'yarnPath: ./x\n', '.pnp.cjs': 'x' },
  'pre-commit': { '.pre-commit-config.yaml': 'repos: []\n' },
  desktop: { 'x.desktop': ini('desktop') },
  directory: { '.directory': ini('directory') },
  autorun: { 'autorun.inf': ini('autorun'), 'desktop.ini': ini('autorun'), 'x.lnk': 'x' },
  'name-substitution': { '$(touch $RAN-substitution)/x': 'x' },
  'name-backticks': { '`touch $RAN-backticks`/x': 'x' },
  'name-option': { '--checkpoint-action=exec=sh x': 'x', '-rf': 'x' },
  'name-home': { '~/x': 'x' },
  'name-controls': { 'a\u001B[2Jb': 'x', 'a\u0007': 'x' },
  'name-bidi': { 'gpj.\u202Eexe': 'x' },
  'name-lines': { 'a\nb': 'x' },
};
/** What is stored: no program runs it unasked. */
const STORED = [
  ...['bare/config', 'bare/objects/.keep', 'bare/refs/.keep', 'bare-common/commondir', 'bare-common/config'],
  ...['bare-below/a/b/config', 'bare-below/a/b/objects/.keep', 'bare-below/a/b/refs/.keep'],
  ...['bare-lower/config', 'bare-lower/objects/.keep', 'bare-lower/refs/.keep'],
  ...['modeline/notes.txt', 'modeline/setup.txt', 'run.sh'],
  ...['exrc', 'lvimrc', 'nvimrc', 'vim-plugin-x.vim', 'vimrc'].map((name) => `vim-${name}/notes.txt`),
  'vim-_vimrc/notes.txt',
];

const write = (path: string, content: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};
/** Paths of all files and links below a folder. */
const below = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
const traces = () => readdirSync(machine).filter((name) => name.startsWith('ran-'));

/** Enters folders as a person does whose home each of them is, with a prompt that shows the folder. */
async function enter(folders: readonly string[]): Promise<void> {
  const script = `
    for folder; do cd "$folder" || exit 9
      export HOME=$folder XDG_CONFIG_HOME=$folder/.config ZDOTDIR=$folder
      git --no-pager status; git --no-pager log -1; git --no-pager diff
      setsid -w timeout 9 bash -ilc true; setsid -w timeout 9 bash -ic 'PS1="\\w \\W"; printf "%s" "\${PS1@P}"'
      case " $PROGRAMS " in *" zsh "*) setsid -w timeout 9 zsh -ilc 'print -P "%~"';; esac
      case " $PROGRAMS " in *" direnv "*) direnv export bash;; esac
      case " $PROGRAMS " in *" vim "*)
        timeout 9 vim -N -n --not-a-term -T dumb --cmd 'set exrc modeline modelines=5' -c 'qa!' *.txt;; esac
    done`;
  const { PATH } = process.env;
  const env = { PATH, RAN: ran, PROGRAMS: PROGRAMS.join(' '), GIT_CONFIG_NOSYSTEM: '1' };
  // Every program may fail: there is no repository, say.
  await run('bash', ['-c', `exec </dev/null >/dev/null 2>&1; ${script}; true`, 'bash', ...folders], {
    cwd: machine,
    env,
  });
}

let service: ServiceUnderTest;
let server: GitServer;
beforeAll(async () => {
  [service, server] = await Promise.all([sharedService(), startGitServer()]);
});
afterAll(async () => await server.close());
const { start, promptq, json: withJson } = commandsOf(() => service, emptyHome());

/** Runs a script as a job. @returns its id */
async function job(script: string, ...args: readonly string[]): Promise<string> {
  const { value } = await withJson('JobCreated', ['run', '--profile', 'shell', '--detach', ...args, script]);
  const { id } = value as { id: string };
  expect(await promptq('wait', id)).toMatchObject({ code: 0 });
  return id;
}

/** A script that leaves the files of a folder in another one. */
const unpack = (folder: string, into: string) =>
  `base64 -d <<'END' | tar -xz -C "${into}"\n${execFileSync('tar', ['-cz', '-C', folder, '.'], { encoding: 'base64' })}\nEND`;

it('what a job attaches runs nothing where it is downloaded', async () => {
  const [raw, files] = [join(machine, 'raw'), join(machine, 'files')];
  for (const [shape, content] of Object.entries(SHAPES))
    for (const [path, text] of Object.entries(content)) write(join(raw, shape, path), text);
  write(join(raw, 'run.sh'), sh('run'));
  chmodSync(join(raw, 'run.sh'), 0o755);
  const id = await job(unpack(raw, '$PROMPTQ_ATTACHMENTS'));
  const before = below(machine);

  const { code, stderr } = await promptq('attachments', id, '--output', files);
  expect(code).toBe(1);
  expect(below(files)).toEqual(STORED.toSorted());
  const { items } = (await withJson('AttachmentList', ['attachments', id])).value as { items: { path: string }[] };
  const refused = items.filter(({ path }) => !STORED.includes(path));
  expect(stderr.match(/is not stored: /g)).toHaveLength(refused.length);
  // The worker keeps no names with control characters at all.
  const kept = items.map(({ path }) => path).toSorted();
  expect(below(raw).filter((path) => !kept.includes(path))).toEqual(
    below(raw).filter((path) => path.startsWith('name-') && /[\p{Cc}\p{Bidi_Control}]/u.test(path)),
  );
  for (const path of below(files)) expect(lstatSync(join(files, path)).mode & 0o111, path).toBe(0);
  expect(below(machine).filter((path) => !path.startsWith('files/'))).toEqual(before);

  const folders = readdirSync(files, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  await enter([files, ...folders.map((entry) => join(entry.parentPath, entry.name))]);
  expect(traces()).toEqual([]);
  // The same programs run what the job left, where it is stored as it is.
  const armed = ['bare', 'git-folder', 'bashrc', 'profile', 'bash_profile', 'vim-exrc', 'vim-vimrc'];
  await enter(armed.map((shape) => join(raw, shape)));
  const expected = ['bare', 'bash_profile', 'bashrc', 'git-folder', 'profile'].map((name) => `ran-${name}`);
  expect(traces()).toEqual(expect.arrayContaining([...expected, ...(PROGRAMS.includes('vim') ? ['ran-exrc'] : [])]));
});

it('what a job changes in its repository runs nothing where it is pulled', async () => {
  await server.commit({ 'README.md': 'one\n' });
  await promptq('run', '--profile', 'shell', '--draft', '--project', 'hostile-app', 'true');
  await service.api('PATCH', '/projects/hostile-app', { repository: server.url });
  const clone = join(machine, 'clone');
  // Not synchronously: the server is in this process.
  await run('git', ['clone', '-q', server.url, clone]);
  const id = await job(
    `mkdir -p r/objects r/refs .vscode; echo 'ref: refs/heads/main' > r/HEAD; echo x > r/objects/x; echo x > r/refs/x
     echo '${sh('pulled').trim()}' > .envrc; echo '{}' > .vscode/tasks.json; ln -s ../../.config docs`,
    ...['--project', 'hostile-app'],
  );
  const refused = await start(['pull', id, '--allow-config'], { cwd: clone }).ended;
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('r/HEAD: git takes its folder for a') });
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: clone, encoding: 'utf8' })).toBe('');
});
