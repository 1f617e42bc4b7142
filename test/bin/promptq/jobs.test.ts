import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { joinedKey, receiptKey } from '../../../lib/jobs/output/output-keys.ts';
import openapi from '../../../openapi.json' with { type: 'json' };
import { fileOfObject } from '../../local-run/kept-objects.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { schemaNamed } from '../../openapi/operations.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { startUnreliableProxy } from '../../stand-ins/unreliable-proxy.ts';
import { commandsOf, emptyHome } from './promptq-command.ts';

const home = emptyHome();
let service: ServiceUnderTest;
let repository: GitServer;
let done: string;
beforeAll(async () => {
  [service, repository] = await Promise.all([sharedService(), startGitServer()]);
  const script =
    'printf out; printf err >&2; mkdir $PROMPTQ_ATTACHMENTS/a; printf ü > "$PROMPTQ_ATTACHMENTS/a/b ü.txt"';
  done = (await create('--title', 'A title', '--tag', 'cli-done', '--tag', 'cli-list', script)).id;
  await promptq('wait', done);
  await create('--draft', '--tag', 'cli-list', 'a draft');
});
afterAll(async () => await repository.close());

const git = async (...args: string[]) => (await promisify(execFile)('git', args)).stdout;
const { start, run, promptq, json } = commandsOf(() => service, home);
const create = async (...args: string[]) =>
  (await json('JobCreated', ['run', '--profile', 'shell', '--detach', ...args])).value as { id: string };

describe('reading', () => {
  test('list prints a table, filters, and names the next page', async () => {
    const { code, stdout, stderr } = await promptq('list', '--tag', 'cli-list', '--limit', '1');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^ID +STATUS +AGE +PROJECT +TITLE\njob_\S+ +DRAFT .*\n$/),
    ]);
    const [, cursor = ''] = /1 of 2; next page: --cursor (\S+)/.exec(stderr) ?? [];
    expect((await promptq('list', '--tag', 'cli-list', '--limit', '1', '--cursor', cursor)).stdout).toContain(done);
    expect((await json('JobList', ['list', '--tag', 'cli-done'])).value).toMatchObject({
      items: [{ id: done }],
      total: 1,
    });
    expect(await promptq('list', '--status', 'FLYING')).toMatchObject({ code: 2 });
  });

  test('show prints the fields of a job and its prompt', async () => {
    const { stdout } = await promptq('show', done);
    expect(stdout).toMatch(/^id +job_/);
    expect(stdout).toContain('A title');
    expect(stdout).toContain('\n\nprintf out;');
    expect((await json('Job', ['show', done])).value).toMatchObject({ id: done, status: 'SUCCEEDED' });
  });

  test('logs prints both streams, one of them, or an earlier attempt', async () => {
    expect(await promptq('logs', done)).toEqual({ code: 0, stdout: 'out', stderr: 'err' });
    expect(await promptq('logs', done, '-f')).toEqual({ code: 0, stdout: 'out', stderr: 'err' });
    expect(await promptq('logs', done, '--stream', 'stderr')).toEqual({ code: 0, stdout: '', stderr: 'err' });
    expect(await promptq('logs', done, '--attempt', '7')).toMatchObject({ code: 2 });
    expect((await json('JobLogs', ['logs', done])).value).toMatchObject({ stdout: 'out', stderr: 'err' });
    const events = (await promptq('logs', done, '-f', '--json')).stdout.trim().split('\n');
    const [output, end] = [schemaNamed(openapi, 'LogOutputEvent'), schemaNamed(openapi, 'LogEndEvent')];
    const parsed = events.map((event) => JSON.parse(event));
    expect(parsed.map((event) => (event.type === 'end' ? end : output).parse(event))).toMatchObject([
      ...[{ type: 'output' }, { type: 'output' }],
      { type: 'end', status: 'SUCCEEDED', state_reason: { code: 'exited' } },
    ]);
  });

  test("logs prints an agent's events for people, or its lines with --raw", async () => {
    const { id } = (await json('JobCreated', ['run', '--detach', 'drill: tool echo hi'])).value;
    await promptq('wait', id);
    const shown = expect.stringMatching(/^Session .*\n\$ echo hi\n {2}hi\n/);
    expect(await promptq('logs', id)).toEqual({ code: 0, stdout: shown, stderr: '' });
    expect(await promptq('logs', id, '-f')).toEqual({ code: 0, stdout: shown, stderr: '' });
    expect((await promptq('logs', id, '--raw')).stdout).toMatch(/^\{"id":"initialize"/);
    expect((await promptq('logs', id, '--stream', 'stderr')).stderr).toContain('codex');
  });

  test('logs prints all of an output that one answer does not hold', async () => {
    const { id } = await create('yes 0123456789012345678901234567890123456789 | head -n 60000');
    await promptq('wait', id);
    const { stdout } = await start(['logs', id]).ended;
    expect(stdout).toBe('0123456789012345678901234567890123456789\n'.repeat(60_000));
  });

  test('result prints the answer, and how the job ended on stderr', async () => {
    const { code, stdout, stderr } = await promptq('result', done);
    expect([code, stdout, stderr]).toEqual([0, 'out', expect.stringContaining('SUCCEEDED (attempt 1, ')]);
    expect((await json('JobResult', ['result', done])).value).toMatchObject({ id: done, stdout: 'out' });
  });

  test('logs and result warn of output that is not what the job wrote', async () => {
    const { id } = await create('printf 0123456789');
    await promptq('wait', id);
    await truncate(await fileOfObject(service.home, joinedKey(id, 1, 'stdout')), 4);
    const shortened = 'stdout is truncated: it is not what the job wrote\n';
    expect(await promptq('logs', id)).toEqual({ code: 0, stdout: '0123', stderr: shortened });
    await truncate(await fileOfObject(service.home, receiptKey(id, 1)), 4);
    const result = await promptq('result', id);
    expect([result.stdout, result.stderr]).toEqual([
      '0123',
      expect.stringMatching(`^the record of the attempt is corrupt: its final message is unknown\n${shortened}`),
    ]);
  });

  test('profiles and projects print tables', async () => {
    expect((await promptq('profiles')).stdout).toMatch(/^NAME +AGENT +MODEL +TIMEOUT\n.*practice \(default\) +codex/s);
    expect((await promptq('projects')).stdout).toMatch(/^NAME +QUEUED.*\nlocal_project +\d/s);
    expect((await json('ProfileList', ['profiles'])).value.items.length).toBeGreaterThan(2);
    expect((await json('ProjectList', ['projects'])).value.items).toContainEqual(
      expect.objectContaining({ name: 'local_project' }),
    );
  });

  test('doctor reports what it found', async () => {
    expect(await promptq('doctor')).toMatchObject({ code: 0, stdout: expect.stringContaining(' 0 faults') });
    const { state, findings } = (await json('DoctorReport', ['doctor', '--job', 'shell'])).value;
    expect([state, findings.map(({ check }: { check: string }) => check)]).toEqual([
      'ok',
      expect.arrayContaining(['job']),
    ]);
  });
});

describe('acting', () => {
  test('edit changes a draft, submit queues it, and retry starts another attempt', async () => {
    const { id } = await create('--draft', 'false');
    const edited = await json('Job', ['edit', id, 'true', '--title', 'Edited', '--project', 'other']);
    expect(edited.value).toMatchObject({ prompt: 'true', title: 'Edited', project: 'other', profile: 'shell' });
    expect(await promptq('edit', id, '--title', 'Again')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^DRAFT: .+\n$/),
    });
    expect(await promptq('wait', id)).toMatchObject({ code: 7, stderr: expect.stringContaining(`submit ${id}`) });
    expect((await json('Job', ['submit', id])).value.status).toMatch(/QUEUED|RUNNING/);
    await promptq('wait', id);
    expect((await promptq('retry', id)).stdout).toBe('QUEUED: Waiting for a free worker.\n');
    expect(await promptq('wait', id)).toMatchObject({ code: 0 });
    expect((await json('Job', ['show', id])).value.attempt).toBe(2);
    expect(await promptq('edit', id, '--title', 'late')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('QUEUED'),
    });
    expect(await promptq('edit', id)).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing to change') });
  });

  test('wait ends for a turn that a person has to release, and says why', async () => {
    const first = await create('sleep 600');
    const { json: second } = await service.api('POST', '/jobs', { continue: first.id, prompt: 'true' });
    const waiting = start(['wait', second.id]);
    await waiting.reports('QUEUED');
    await json('Job', ['kill', first.id]);
    const { code, stderr } = await waiting.ended;
    expect([code, stderr]).toEqual([7, expect.stringContaining(`Job ${second.id} continues`)]);
    expect(stderr).not.toContain('question');
  });
});

describe('talking', () => {
  test('questions shows what waits for an answer, and answer answers it, also by a proxy that loses requests', async () => {
    const { code, stderr } = await promptq('run', 'drill: ask Which color?');
    const [, id = ''] = /promptq questions (job_\w+)/.exec(stderr) ?? [];
    expect([code, id]).toEqual([7, expect.stringMatching(/^job_/)]);
    const listed = (await promptq('questions')).stdout;
    expect(listed).toMatch(new RegExp(`^job +${id}\n[^]*question +Which color\\?\n`));
    const { items } = (await json('QuestionList', ['questions', id])).value;
    expect(items).toMatchObject([{ state: 'open', job_id: id }]);
    for (const text of [stderr, listed])
      expect(text).toContain(`promptq answer ${id} --question ${items[0].id} ANSWER`);
    // Of read and answer, the answer to the second one is lost.
    const proxy = await startUnreliableProxy(service.baseUrl, { dropEach: 2 });
    const answered = await json('Job', ['answer', id, 'blue'], { env: { PROMPTQ_URL: proxy.url } });
    await proxy.stop();
    expect([answered.code, answered.value.question.state]).toEqual([0, 'answered']);
    expect(await promptq('answer', id, 'red')).toMatchObject({ code: 2, stderr: expect.stringContaining('answered') });
    expect(await promptq('wait', id)).toMatchObject({ code: 0 });
    expect((await promptq('questions', id)).stdout).toMatch(/answer +blue/);
    expect(await promptq('answer', done, 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no question'),
    });
  });

  test('say sends one message, and lists the messages', async () => {
    const { id } = (await json('JobCreated', ['run', '--detach', 'drill: tool sleep 600'])).value;
    const proxy = await startUnreliableProxy(service.baseUrl, { dropEach: 2 });
    const env = { PROMPTQ_URL: proxy.url };
    await run(['say', id, 'one'], { env });
    await run(['say', id, 'two', '--only-now', '--idempotency-key', 'k'], { env });
    await proxy.stop();
    expect((await promptq('say', id, 'two', '--idempotency-key', 'k')).stdout).toMatch(/^ID +STATUS +SENT/);
    const { items } = (await json('MessageList', ['say', id])).value;
    expect(items.map(({ text }: { text: string }) => text)).toEqual(['one', 'two']);
    await promptq('kill', id);
  });

  test("say names the message that it has sent although the messages can't be read", async () => {
    const server = createServer((request, response) => {
      const isSent = request.method === 'POST';
      request.resume().on('end', () => {
        response.writeHead(isSent ? 202 : 403, { 'content-type': 'application/json' });
        response.end(isSent ? '{"id":"msg_1"}' : '{"error":"forbidden","details":{"required_scope":"read"}}');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = { PROMPTQ_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const { code, stderr } = await run(['say', 'job_1', 'now'], { env });
    server.close();
    expect([code, stderr]).toEqual([5, expect.stringMatching(/message msg_1 is accepted[\s\S]*lacks the scope read/)]);
  });

  test('continue and fork create the next turn and a new thread', async () => {
    const { value: next } = await json('JobCreated', ['continue', done, 'true', '--detach', '--profile', 'shell']);
    expect(await promptq('wait', next.id)).toMatchObject({ code: 0 });
    expect((await json('Job', ['show', next.id])).value).toMatchObject({ continues: done, turn: 2 });
    const { value: copy } = await json('JobResult', ['fork', next.id, 'echo copied', '--profile', 'shell']);
    expect(copy.stdout).toBe('copied\n');
    expect((await json('Job', ['show', copy.id])).value).toMatchObject({ forked_from: next.id, turn: 1 });
    expect((await json('Job', ['retry', copy.id])).value.status).toMatch(/QUEUED|RUNNING/);
  });
});

describe('attachments', () => {
  test('lists files and downloads them, those named or all, also by a proxy that loses requests', async () => {
    expect((await promptq('attachments', done)).stdout).toMatch(/^PATH +BYTES +TYPE\na\/b ü\.txt +2 +text\/plain/);
    const proxy = await startUnreliableProxy(service.baseUrl, { dropEach: 2 });
    const folder = join(home, 'files');
    const args = ['attachments', done, 'a/b ü.txt', '--output', folder, '--json'];
    expect(await run(args, { env: { PROMPTQ_URL: proxy.url } })).toMatchObject({ code: 0 });
    await proxy.stop();
    expect(await readFile(join(folder, 'a/b ü.txt'), 'utf8')).toBe('ü');
    expect((await json('AttachmentList', ['attachments', done])).value.items).toHaveLength(1);
  });

  test('completes a folder, and keeps files that differ', async () => {
    const script = 'cd $PROMPTQ_ATTACHMENTS; for name in a b c; do echo $name > $name.txt; done';
    const { id } = await create(script);
    expect(await promptq('wait', id)).toMatchObject({ code: 0 });
    const folder = join(home, 'completed');
    const read = async (name: string) => await readFile(join(folder, name), 'utf8');
    await mkdir(folder);
    await writeFile(join(folder, 'a.txt'), 'mine');
    const first = await promptq('attachments', id, '-o', folder);
    expect(first).toMatchObject({ code: 2, stderr: expect.stringContaining(join(folder, 'a.txt')) });
    expect([await read('a.txt'), await read('b.txt'), await read('c.txt')]).toEqual(['mine', 'b\n', 'c\n']);
    await rm(join(folder, 'a.txt'));
    const second = await promptq('attachments', id, '-o', folder);
    expect(second).toMatchObject({ code: 0, stderr: expect.stringContaining('b.txt, already there') });
    expect(await readdir(folder)).toEqual(['a.txt', 'b.txt', 'c.txt']);
    const blocked = await promptq('attachments', id, '-o', join(folder, 'a.txt'));
    expect(blocked).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^promptq: nothing can be stored in .*\n$/s),
    });
  });
});

describe('pull', () => {
  test('applies the changes of a job to the repository here', async () => {
    await repository.commit({ 'README.md': 'one\ntwo\n', 'old.txt': 'moved\n' });
    await create('--project', 'cli-app', '--draft', 'true');
    await service.api('PATCH', '/projects/cli-app', { repository: repository.url });
    const script = "printf '1\\ntwo\\n' > README.md; echo new > new.txt; mkdir far; git mv old.txt far";
    const { id } = await create('--project', 'cli-app', script);
    expect(await promptq('wait', id)).toMatchObject({ code: 0 });
    const clone = join(home, 'clone');
    await git('clone', '-q', repository.url, clone);
    await mkdir(join(clone, 'sub'));
    const here = { cwd: join(clone, 'sub') };
    expect(await start(['pull', id, '--check'], here).ended).toMatchObject({ code: 0 });
    expect(await readFile(join(clone, 'README.md'), 'utf8')).toBe('one\ntwo\n');
    expect(await start(['pull', id], here).ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('new.txt'),
    });
    expect(await readFile(join(clone, 'README.md'), 'utf8')).toBe('1\ntwo\n');
    expect(await readFile(join(clone, 'new.txt'), 'utf8')).toBe('new\n');
    expect(await readFile(join(clone, 'far', 'old.txt'), 'utf8')).toBe('moved\n');
    expect(await start(['pull', id], here).ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('do not apply'),
    });
    await git('-C', clone, 'checkout', '-q', '.');
    await git('-C', clone, 'clean', '-fdq');
    expect((await json('RepositoryChanges', ['pull', id], { cwd: clone })).value).toMatchObject({ files: 3 });
  });

  test('refuses a job without changes or files', async () => {
    expect(await start(['pull', done], { cwd: join(home, 'clone') }).ended).toMatchObject({ code: 4 });
    expect(await start(['pull', done], { cwd: home }).ended).toMatchObject({ code: 4 });
  });
});
