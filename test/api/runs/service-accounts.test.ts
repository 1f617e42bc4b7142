import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SURROUNDINGS } from '../../../lib/platform/config/surroundings.ts';
import { listProcesses, processTable } from '../../../lib/platform/processes/process-table.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { describeAsRoot, newFirstUid, UNDER_WORKER_RIGHTS } from '../../worker-container/service-accounts/as-root.ts';
import { shareCodex } from '../../worker-container/service-accounts/shared-codex.ts';
import { ASKING, asking, importAsking } from '../follow-up-script.ts';
import { createJob, untilEnded } from '../job-client.ts';

const FIRST = newFirstUid();
/** Of a deployment. */
const FINAL = ['succeeded', 'failed', 'skipped'];

describeAsRoot('a worker with accounts for its slots, and the rights that a deployed one has', () => {
  let service: OwnService;
  let repository: GitServer;
  let codex: Awaited<ReturnType<typeof shareCodex>>;
  beforeAll(async () => {
    codex = await shareCodex();
    [service, repository] = await Promise.all([
      startService({
        env: {
          PROMPTQ_SLOT_UID: String(FIRST),
          PROMPTQ_CONCURRENCY: '2',
          PROMPTQ_REPOSITORY_LOOPBACK: '1',
          PROMPTQ_CODEX_BIN: codex.path,
          PROMPTQ_WATCH_SECONDS: '2',
          PROMPTQ_ACCOUNT_PROBE_SECONDS: '1',
        },
        under: UNDER_WORKER_RIGHTS,
      }),
      startGitServer(),
    ]);
    // A home is private to its user; a container's folders are not.
    await chmod(service.home, 0o711);
    await repository.commit({ 'README.md': 'one\n' });
  });
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
    await repository.close();
    await codex.remove();
    expect(living()).toEqual([]);
  });

  const living = () =>
    listProcesses().filter(({ pid, zombie }) => {
      const uid = zombie ? undefined : processTable().realUidOf(pid);
      return uid !== undefined && uid >= FIRST && uid < FIRST + 400;
    });
  const start = (prompt: string, settings: Record<string, unknown> = {}) =>
    createJob(service, { prompt, profile: 'shell', ...settings });
  const ended = async (id: string) => {
    await untilEnded(service, id);
    return (await service.api('GET', `/jobs/${id}/result`)).json;
  };
  const run = async (prompt: string, settings: Record<string, unknown> = {}) =>
    await ended(await start(prompt, settings));
  const folderOf = (id: string, project = 'local_project') => join(service.home, 'workspaces', project, id, 'work');
  const untilThere = (path: string) => waitFor(() => stat(path).then(Boolean, () => false));
  const slots = [FIRST + 1, FIRST + 2];

  test('copies what a fork needs as its slot, also from another slot', async () => {
    const first = await start('id -u; echo one > notes; chmod 600 notes; ln -s /etc/shadow out');
    await ended(first);
    // The other slot takes the fork.
    const other = await start('id -u; until [ -e go ]; do sleep 0.1; done');
    await untilThere(folderOf(other));
    const forked = await run('id -u; stat -c "%u %a" . notes; cat notes; readlink out', { fork: first });
    const uid = forked.stdout.split('\n')[0];
    expect([forked.status, forked.stdout]).toEqual(['SUCCEEDED', `${uid}\n${uid} 775\n${uid} 600\none\n/etc/shadow\n`]);
    await writeFile(join(folderOf(other), 'go'), '');
    await ended(other);
    await start('true', { project: 'forked', draft: true });
    expect((await service.api('PATCH', '/projects/forked', { repository: repository.url })).status).toBe(200);
    const worktree = await start('echo two >> README.md; echo new > new', { project: 'forked' });
    await ended(worktree);
    const copied = await run('stat -c "%u" . README.md new .git; cat README.md new', { fork: worktree });
    const owner = copied.stdout.split('\n')[0];
    expect(copied.stdout).toBe(`${`${owner}\n`.repeat(4)}one\ntwo\nnew\n`);
  });

  test('runs a job as its slot, in a private folder, with an environment without any name of the worker', async () => {
    const id = await start(
      'id -u; id -G; env | cut -d= -f1 | sort; echo $HOME; echo made > made.txt; : > ~/own; : > $TMPDIR/own',
    );
    const { stdout, status } = await ended(id);
    const [uid, groups, ...rest] = stdout.trim().split('\n');
    expect([status, groups]).toEqual(['SUCCEEDED', String(FIRST)]);
    expect(slots).toContain(Number(uid));
    const home = rest.pop();
    expect(home).toBe(join(service.home, 'worker', 'attempts', id, 'home'));
    const ofUser: readonly string[] = SURROUNDINGS;
    expect(rest.filter((name: string) => name !== '_' && !ofUser.includes(name))).toEqual([
      'GIT_CEILING_DIRECTORIES',
      'HOME',
      'LANG',
      'PATH',
      'PROMPTQ_ATTACHMENTS',
      'PROMPTQ_ATTEMPT',
      'PROMPTQ_CONTEXT',
      'PROMPTQ_PORT',
      'PROMPTQ_RUN_HOME',
      'PROMPTQ_SLOT',
      'PWD',
      'SHLVL',
      'TMPDIR',
      'XDG_CACHE_HOME',
      'npm_config_cache',
    ]);
    const made = await stat(join(folderOf(id), 'made.txt'));
    const folder = await stat(dirname(folderOf(id)));
    // No job can change what is in it between the turns of a thread.
    expect([made.uid, folder.uid, (folder.mode & 0o777).toString(8)]).toEqual([Number(uid), 0, '700']);
    await waitFor(async () => (await readdir(join(service.home, 'worker', 'attempts'))).length === 0);
  });

  test("keeps caches and temporary files on the worker's own disk, also where a profile's HOME is a workspace", async () => {
    const home = join(service.home, 'workspaces', 'local_project', 'tools');
    const profile = { name: 'home-in-workspace', agent: 'shell', env: { HOME: home } };
    expect((await service.api('POST', '/config/import', { profiles: [profile] })).status).toBe(200);
    const script = `echo $HOME; python3 -c 'import tempfile; print(tempfile.mkdtemp())'
      for folder in "$XDG_CACHE_HOME" "$npm_config_cache" "$TMPDIR"; do : > "$folder/kept" && echo "$folder"; done`;
    const id = await start(script, { profile: profile.name });
    const { stdout, status } = await ended(id);
    const [own, temporary, ...folders] = stdout.trim().split('\n');
    const attempt = join(service.home, 'worker', 'attempts', id);
    expect([status, own]).toEqual(['SUCCEEDED', home]);
    expect(temporary.startsWith(join(attempt, 'temp/'))).toBe(true);
    expect(folders).toEqual(['cache', 'cache/npm', 'temp'].map((name) => join(attempt, name)));
  });

  test('ends the processes that a job left behind without ancestors', async () => {
    const result = await run('(env -i setsid setsid sleep 20 &); (setsid sleep 20 &); echo done');
    expect(result).toMatchObject({ status: 'SUCCEEDED', stdout: 'done\n' });
    expect(living()).toEqual([]);
  });

  test('kills a job that will not end', async () => {
    const id = await start(
      'trap "" TERM INT; (trap "" TERM; env -i setsid sleep 20 &); echo up; while :; do sleep 0.05; done',
    );
    await waitFor(async () => (await service.api('GET', `/jobs/${id}/logs`)).json.stdout === 'up\n');
    await service.api('POST', `/jobs/${id}/kill`);
    expect(await untilEnded(service, id)).toMatchObject({ status: 'CANCELLED' });
    expect(living()).toEqual([]);
  });

  test('keeps of a folder what the account of the job can read', async () => {
    const { id } = await run(`echo kept > kept.txt; echo x > closed; chmod 000 closed
      ln -s ${service.home}/local.json link; mkdir -m 000 in`);
    const { items } = (await service.api('GET', `/jobs/${id}/files`)).json;
    expect(items.map(({ path, reason }: Record<string, string>) => [path, reason])).toEqual([
      ['closed', 'unreadable'],
      ['kept.txt', null],
      ['link', 'link'],
      ['in', 'unreadable'],
    ]);
    expect((await service.api('GET', `/jobs/${id}/files/content?path=kept.txt`)).text).toBe('kept\n');
  });

  test("gives a job the project's diagrams as files that the other slot can neither read nor change", async () => {
    const text = 'flowchart LR\n  a --> b\n';
    await service.api('PUT', '/diagrams/flow?project=drawn', { text });
    const script = 'cd "$PROMPTQ_CONTEXT"; id -u; stat -c "%u %a %n" . diagrams diagrams/*; cat diagrams/flow.mmd';
    const first = await start(`${script}; until [ -e "$OLDPWD/go" ]; do sleep 0.1; done`, { project: 'drawn' });
    await untilThere(folderOf(first, 'drawn'));
    const files = join(service.home, 'worker', 'attempts', first, 'context');
    const other = await run(`cat ${files}/diagrams/flow.mmd; echo x > ${files}/diagrams/flow.mmd; ls ${files}`);
    expect(other.stdout).toBe('');
    await writeFile(join(folderOf(first, 'drawn'), 'go'), '');
    const { stdout } = await ended(first);
    const uid = stdout.split('\n')[0];
    expect(stdout).toBe(`${uid}\n${uid} 700 .\n${uid} 700 diagrams\n${uid} 600 diagrams/flow.mmd\n${text}`);
    await waitFor(() =>
      stat(files).then(
        () => false,
        () => true,
      ),
    );
  });

  test("keeps a job's attachments, except links and files of other users", async () => {
    const { id, attachments, warnings } = await run(`cd $PROMPTQ_ATTACHMENTS; echo kept > kept.txt
      ln -s ${service.home}/local.json link; mkfifo pipe; chmod 000 kept.txt`);
    expect(attachments).toEqual([expect.objectContaining({ path: 'kept.txt', bytes: 5 })]);
    expect((await service.api('GET', `/jobs/${id}/attachments/kept.txt`)).text).toBe('kept\n');
    expect(warnings ?? (await service.api('GET', `/jobs/${id}`)).json.warnings).toEqual([
      expect.stringContaining('2 not kept'),
    ]);
  });

  test('keeps each job out of the worker, of its login and of the other slot', async () => {
    const neighbour = await start('echo secret > own; echo $$ > pid; while [ ! -e gate ]; do sleep 0.05; done');
    const theirs = folderOf(neighbour);
    await untilThere(join(theirs, 'pid'));
    const pid = await waitFor(async () => (await readFile(join(theirs, 'pid'), 'utf8')).trim() || undefined);
    const attempt = join(service.home, 'worker', 'attempts', neighbour);
    const ptrace = arch() === 'arm64' ? 117 : 101;
    const script = `
      for process in $PPID ${pid}; do
        for file in environ mem maps cwd/ root/ fd/ ; do
          (ls /proc/$process/$file && cat /proc/$process/$file) > /dev/null 2>&1 && echo "open: $file of $process"
        done
        # PTRACE_ATTACH
        perl -e 'exit(syscall(${ptrace}, 16, $ARGV[0] + 0, 0, 0) == -1)' $process && echo "open: ptrace of $process"
        kill -0 $process 2> /dev/null && echo "open: signals to $process"
        echo looked
      done
      for path in ${theirs} ${theirs}/own ${attempt} ${attempt}/home ${attempt}/agent ${attempt}/output ${attempt}/attachments \\
        ${attempt}/../ ${service.home}/account ${service.home}/local.json ${service.home}/logs ${service.home}/worker; do
        cat $path > /dev/null 2>&1 && echo "open: $path"
        ls $path > /dev/null 2>&1 && [ -d $path ] && echo "open: $path"
        (: > $path/planted) 2> /dev/null && echo "open to writing: $path"
      done
      env | grep -E 'AWS|CREDENTIAL|TABLE|QUEUE|BUCKET|KEY'; echo end`;
    const { stdout } = await run(script);
    await writeFile(join(theirs, 'gate'), '');
    const lines = stdout.trim().split('\n');
    expect(lines).toEqual(['looked', 'looked', 'end']);
    expect(await ended(neighbour)).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('serves the tools of a job to its slot alone, and attaches only files that the slot can read', async () => {
    const look = 'f=$PROMPTQ_ATTACHMENTS/../agent/codex-home/config.toml; echo "$(id -u) $(stat -c "%u %a" $f)"';
    const mine = await start(
      [
        `drill: tool ${look}; echo mine > made.txt; ln -s /etc/shadow link; until [ -e gate ]; do sleep 0.05; done`,
        'drill: use attach_file {"path": "made.txt"}',
        'drill: use attach_file {"path": "link"}',
        'drill: use create_job {"prompt": "Say hello."}',
      ].join('\n'),
      { profile: 'practice' },
    );
    await untilThere(join(folderOf(mine), 'link'));
    const agent = join(service.home, 'worker', 'attempts', mine, 'agent');
    const config = await readFile(join(agent, 'codex-home', 'config.toml'), 'utf8');
    const [, port = ''] = /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(config) ?? [];
    const [, key = ''] = /Bearer ([\w-]{43})/.exec(config) ?? [];
    expect(key).not.toBe('');
    for (const { pid } of living())
      for (const file of ['cmdline', 'environ'])
        expect(await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => ''), `${file} of ${pid}`).not.toContain(key);
    const headers = `Host: 127.0.0.1:${port}\\r\\nContent-Type: application/json\\r\\nContent-Length: 2\\r\\n`;
    const call = (more: string) =>
      `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'POST /mcp HTTP/1.1\\r\\n${headers}${more}\\r\\n{}' >&3; head -1 <&3`;
    const { stdout } = await run(
      [
        `cat ${agent}/codex-home/config.toml 2> /dev/null && echo open`,
        call(''),
        call(`Authorization: Bearer ${'x'.repeat(43)}\\r\\n`),
      ].join('\n'),
    );
    await writeFile(join(folderOf(mine), 'gate'), '');
    expect(stdout.replaceAll('\r', '')).toBe('HTTP/1.1 401 Unauthorized\n'.repeat(2));
    const { status, final_message } = await ended(mine);
    expect(status).toBe('SUCCEEDED');
    expect(final_message).toMatch(/(\d+) \1 600/);
    expect(final_message).toContain('Attached as made.txt (5 bytes).');
    expect(final_message).toContain('link: there is no such file, or it is a link or unreadable.');
    expect(final_message).toMatch(/Created job job_/);
  });

  test('gives a job no folder of the worker, also not through a link', async () => {
    await run('ln -s ../../account to-account; ln -s /etc to-etc', { cwd: 'links' });
    for (const cwd of ['links/to-account', 'links/to-etc', 'links/to-etc/made']) {
      const { status, error } = await run('echo ran > ran.txt', { cwd });
      expect([status, error], cwd).toEqual(['FAILED', expect.stringMatching(/^.*cwd: /)]);
    }
    expect(await readdir('/etc')).not.toContain('made');
  });

  test("denies all others a job's own folder while it runs, and keeps the owner of the project's folder", async () => {
    const neighbour = await start('echo secret > own; until [ -e gate ]; do sleep 0.05; done; cat own');
    const theirs = folderOf(neighbour);
    await untilThere(join(theirs, 'own'));
    const workspaces = join(service.home, 'workspaces');
    for (const cwd of [
      theirs,
      `${theirs}/deep`,
      '.',
      workspaces,
      `${workspaces}/local_project`,
      `${workspaces}/.repositories/x`,
    ]) {
      const { status, json } = await service.api('POST', '/jobs', {
        prompt: 'x',
        profile: 'shell',
        project: 'other',
        cwd,
      });
      expect([status, json.error], cwd).toEqual([
        400,
        expect.stringContaining(`body.cwd: received ${JSON.stringify(cwd)}`),
      ]);
    }
    await run(`ln -s ${theirs} to-neighbour`, { cwd: 'lures' });
    const refused = await run('cat own', { cwd: 'lures/to-neighbour' });
    expect(refused).toMatchObject({ status: 'FAILED', error: expect.stringMatching(/cwd: .*one job alone/) });
    await writeFile(join(theirs, 'gate'), '');
    expect(await ended(neighbour)).toMatchObject({ status: 'SUCCEEDED', stdout: 'secret\n' });
    const project = await stat(join(workspaces, 'local_project'));
    expect([project.uid, project.mode & 0o777]).toEqual([0, 0o755]);
  });

  test("runs follow-ups in their parent's own folder, one at a time", async () => {
    const alone = 'mkdir busy && echo more >> made && ls -d made && rmdir busy';
    await importAsking(service);
    const child = { prompt: alone, profile: 'shell' };
    const parent = await start(`echo made > made; ${asking(child, child)}`, { profile: ASKING });
    await untilEnded(service, parent);
    const children: string[] = await waitFor(async () => {
      const { follow_up_ids } = (await service.api('GET', `/jobs/${parent}`)).json;
      return follow_up_ids.length === 2 && follow_up_ids;
    });
    const results = await Promise.all(children.map(ended));
    expect(results.map(({ status, stdout }) => [status, stdout])).toEqual([
      ['SUCCEEDED', 'made\n'],
      ['SUCCEEDED', 'made\n'],
    ]);
    expect(await readFile(join(folderOf(parent), 'made'), 'utf8')).toBe('made\nmore\nmore\n');
  });

  test('lets jobs of both slots work in one folder, in turn and concurrently', async () => {
    const waiting = `id -u; echo $$ > at-$(id -u); while [ $(ls at-* | wc -l) -lt 2 ]; do sleep 0.05; done; echo more >> shared; cat shared > /dev/null`;
    await run('echo begun > shared; mkdir -p deep/er; echo x > deep/er/file', { cwd: 'both' });
    const both = await Promise.all([start(waiting, { cwd: 'both' }), start(waiting, { cwd: 'both' })]);
    const results = await Promise.all(both.map(ended));
    expect(results.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(2);
    expect(await run('rm -r deep && cat shared', { cwd: 'both' })).toMatchObject({ stdout: 'begun\nmore\nmore\n' });
  });

  test('clones, sets up and reports on a repository as the slot', async () => {
    await start('true', { project: 'app', draft: true });
    await service.api('PATCH', '/projects/app', { repository: repository.url, setup: 'id -u > set-up-by' });
    for (const attempt of [1, 2]) {
      const id = await start(
        'id -u; cat set-up-by; echo two >> README.md; git commit -qam work && git status --short',
        {
          project: 'app',
        },
      );
      const { status, stdout, changes, warnings } = await ended(id);
      expect([status, warnings], String(attempt)).toEqual(['SUCCEEDED', undefined]);
      const [uid, by] = stdout.split('\n');
      expect([slots.includes(Number(uid)), by]).toEqual([true, uid]);
      expect(changes).toMatchObject({ files: 1, insertions: 1 });
    }
  });

  test('runs the commands of a binding as the slot', async () => {
    await service.api('POST', '/deploy-bindings', {
      project: 'bound',
      binding_mode: 'custom',
      command: 'id -u; cat left; touch $HOME/x',
    });
    const id = await start('echo left > left', { project: 'bound' });
    await ended(id);
    const [done] = await waitFor(async () => {
      const { deployments } = (await service.api('GET', `/jobs/${id}`)).json;
      return deployments.some(({ state }: { state: string }) => FINAL.includes(state)) && deployments;
    });
    expect(done).toMatchObject({ state: 'succeeded', log: expect.stringMatching(/\n\d+\nleft\n$/) });
    expect(slots).toContain(Number(/\n(\d+)\nleft/.exec(done.log)?.[1]));
  });

  test('links the account as its own account, and gives codex a copy, without links out of it', async () => {
    await service.api('POST', '/codex-account/start');
    const login = await waitFor(async () => {
      const { json } = await service.api('GET', '/codex-account');
      return json.state === 'awaiting_user' && json;
    });
    const cli = listProcesses().filter(({ pid }) => processTable().realUidOf(pid) === FIRST);
    expect(cli).toHaveLength(1);
    const body = new URLSearchParams({ user_code: login.user_code, decision: 'approve' });
    await fetch(login.verification_uri, { method: 'POST', body });
    await waitFor(async () => (await service.api('GET', '/codex-account')).json.state === 'linked');
    const account = join(service.home, 'account', 'practice', 'codex');
    const [file = ''] = await readdir(account);
    expect([(await stat(join(account, file))).uid, (await stat(join(service.home, 'account'))).mode & 0o77]).toEqual([
      0, 0,
    ]);

    const trick = `drill: tool id -u; stat -c %u $CODEX_HOME/auth.json; ls ${account} || echo closed; cd $CODEX_HOME; ln -sf ${account}/${file} auth.json; ln -sf ${service.home}/planted login-generation; sleep 1`;
    const result = await run(trick, { profile: 'codex' });
    expect(result.status).toBe('SUCCEEDED');
    expect(result.stdout).toMatch(/"aggregatedOutput":"(\d+)\\n\1\\n[^"]*closed/);
    expect(await readdir(account)).toEqual([file]);
    expect(await readdir(service.home)).not.toContain('planted');
    expect((await service.api('GET', '/codex-account')).json).toMatchObject({ state: 'linked' });
  });

  test('ends the processes that a killed worker left under its accounts', async () => {
    const id = await start('echo $PPID > worker; trap "" TERM; env -i sleep 600; sleep 600');
    await untilThere(join(folderOf(id), 'worker'));
    const worker = await waitFor(async () => Number(await readFile(join(folderOf(id), 'worker'), 'utf8')) || undefined);
    const before = living();
    expect(before).not.toEqual([]);
    process.kill(worker, 'SIGKILL');
    const isSame = (known: { pid: number; startedAt: number }) =>
      living().some(({ pid, startedAt }) => pid === known.pid && startedAt === known.startedAt);
    await waitFor(() => !before.some(isSame));
  });

  const sessions = '$PROMPTQ_ATTACHMENTS/../agent/codex-home/sessions';
  const jobOf = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;

  async function setLoggedIn(logged_in: boolean): Promise<void> {
    const { practice_url, practice_key } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
    const headers = { authorization: `Bearer ${practice_key}` };
    const body = JSON.stringify({ logged_in });
    expect((await fetch(new URL('/practice/state', practice_url), { method: 'PUT', headers, body })).status).toBe(200);
  }

  test('a session is saved, and continued by the account of the next slot', async () => {
    const id = await createJob(service, {
      prompt: 'drill: tool sleep 3; id -u >$PROMPTQ_ATTACHMENTS/uid\ndrill: recall',
    });
    await waitFor(async () => (await jobOf(id)).status === 'RUNNING');
    await waitFor(async () =>
      (await service.api('GET', `/jobs/${id}/logs?stream=stdout`)).json.stdout.includes('id -u'),
    );
    await setLoggedIn(false);
    await waitFor(async () => (await jobOf(id)).state_reason.code === 'account_required');
    expect((await service.api('GET', `/jobs/${id}/session?attempt=1`)).text).toContain('id -u');
    await setLoggedIn(true);
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    const job = await jobOf(id);
    expect(job).toMatchObject({ warnings: [] });
    expect(job.attempts[0].resumed_from).toBeGreaterThanOrEqual(1);
    const { items } = (await service.api('GET', `/jobs/${id}/attachments`)).json;
    expect(items).toMatchObject([{ path: 'uid', attempt: job.attempt }]);
    const { final_message } = (await service.api('GET', `/jobs/${id}/result`)).json;
    expect(final_message).toContain(
      'drill: tool sleep 3; id -u >$PROMPTQ_ATTACHMENTS/uid drill: recall\nYour work on the task above',
    );
  });

  // A FIFO stops codex, which opens the file again: the test of the reader has one.
  test.for([
    { what: 'a link', plant: 'ln -s /etc/passwd $f' },
    { what: 'a file with holes', plant: 'truncate -s 3000000 $f' },
  ])('$what in place of a session file is not read', async ({ plant }) => {
    const prompt = `drill: tool f=$(find ${sessions} -name '*.jsonl'); rm $f && ${plant} && echo planted`;
    const id = await createJob(service, { prompt });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await service.api('GET', `/jobs/${id}/result`)).json.final_message).toContain('planted');
    expect((await jobOf(id)).warnings).toEqual([expect.stringMatching(/^session: not saved completely: /)]);
    expect((await service.api('GET', `/jobs/${id}/session`)).status).toBe(404);
  });
});
