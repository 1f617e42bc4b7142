import { globSync, readFileSync, statSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { createJob, untilEnded } from '../job-client.ts';

const PLAIN = 'plainsecret0123456789';
const OTHER = 'othersecret9876543210';
const ODD = 'pä/ss+"wörd" 😀&%<x>';
const LONG = `longsecret${'abcdefgh'.repeat(12)}`;
const KEY = [
  '-----BEGIN PRIVATE KEY-----',
  'MIIEvQIBADANBgkqhkiG9w0BAQ/FAASCBKcw',
  'ggSjAgEAAoIBAQC7VJTUt9Us8cKj+MzEfYyj',
  '-----END PRIVATE KEY-----',
].join('\n');
const SECRETS = { PLAIN, OTHER, ODD, LONG, KEY };

let service: ServiceUnderTest;
let repository: GitServer;
beforeAll(async () => {
  [service, repository] = await Promise.all([sharedService(), startGitServer()]);
  const lines = Object.entries(SECRETS).map(([name, value]) => `masked/${name}='${value}'\n`);
  await appendFile(join(service.home, 'secrets.env'), lines.join(''), { mode: 0o600 });
  await repository.commit({ 'README.md': 'one\n' });
  const env = Object.fromEntries(Object.keys(SECRETS).map((name) => [name, { secret: name }]));
  await service.api('POST', '/config/import', { profiles: [{ name: 'masked', agent: 'shell', env }] });
});
afterAll(async () => await repository.close());

/** Runs a job. @returns its id, its result, and every response about it as text */
async function ran(prompt: string, settings: Record<string, unknown> = {}) {
  const id = await createJob(service, { profile: 'masked', prompt, ...settings });
  await untilEnded(service, id);
  const paths = ['', '/result', '/logs', '/attachments', '/files'].map((end) => `/jobs/${id}${end}`);
  const answers = await Promise.all(paths.map(async (path) => await service.api('GET', path)));
  return { id, result: answers[1]?.json, told: answers.map(({ text }) => text).join('\n') };
}

/** A project with a repository. */
async function project(name: string, setup: string | null = null): Promise<void> {
  await createJob(service, { project: name, profile: 'masked', prompt: 'true', draft: true });
  const { status } = await service.api('PATCH', `/projects/${name}`, { repository: repository.url, setup });
  expect(status).toBe(200);
}

it("the branch and the summary of a job's changes are masked before they are cut", async () => {
  await project('changed');
  const { result, told } = await ran(
    'git checkout -qb "b-$PLAIN"; echo y > "f-$PLAIN"; echo y > "$LONG-and-its-end"; mkdir "$OTHER"; echo y > "$OTHER/g"',
    { project: 'changed' },
  );
  expect(result.changes).toMatchObject({ branch: 'b-***', files: 3 });
  expect(result.changes.stat).toBe(
    ' f-***           | 1 +\n ***-and-its-end | 1 +\n ***/g           | 1 +\n 3 files changed, 3 insertions(+)\n',
  );
  expect(told).not.toContain(LONG.slice(-40));
});

it('the message of a failed setup command is masked before it is cut', async () => {
  await project('cut-behind', 'printf "%0190d%s\\n" 0 "$PLAIN" >&2; exit 1');
  await project('cut-before', 'printf "%s%01990d\\n" "$PLAIN" 0 >&2; exit 1');
  const behind = await ran('true', { project: 'cut-behind' });
  expect(behind.result.state_reason.message).toMatch(/ 0{190}\*\*\*$/);
  const before = await ran('true', { project: 'cut-before' });
  expect(before.result.state_reason.message).toMatch(/exit code 1\. (\*\*\*)?0+$/);
});

it('a secret split by the other stream of a setup command is masked', async () => {
  const half = PLAIN.length / 2;
  const lines = [`printf %.${Math.floor(half)}s "$PLAIN"`, 'sleep 0.2', 'echo between >&2', 'sleep 0.2'];
  await project('mixed', [...lines, `echo "\${PLAIN:${Math.floor(half)}}"`].join('; '));
  const { id } = await ran('true', { project: 'mixed' });
  const { text } = await service.api('GET', `/jobs/${id}/attachments/.promptq%2Fsetup.log`);
  expect(text.split('\n').sort()).toEqual(['', '***', 'between']);
});

it('names of attachments are masked, and each file can still be read', async () => {
  const { id, told, result } = await ran(
    'cd "$PROMPTQ_ATTACHMENTS"; echo 1 > "$PLAIN.txt"; echo 2 > "$OTHER.txt"; echo 3 > "***2.txt"; echo 4 > plain',
  );
  const contents = result.attachments.map(async ({ name, path }: { name: string; path: string }) => {
    const { text } = await service.api('GET', `/jobs/${id}/attachments/${encodeURIComponent(name)}`);
    return [path, text];
  });
  expect(Object.fromEntries(await Promise.all(contents))).toEqual({
    '***.txt': '2\n',
    '***3.txt': '1\n',
    '***2.txt': '3\n',
    plain: '4\n',
  });
  expect(told).not.toContain(PLAIN);
});

it('files of the folder are masked in names and content, and marked', async () => {
  const { id, told } = await ran(
    'echo "a $PLAIN b" > "$PLAIN.txt"; printf "\\0%s\\0" "$OTHER" > binary; echo 1 > plain',
  );
  const { items } = (await service.api('GET', `/jobs/${id}/files`)).json;
  const contents = items.map(async ({ path, masked }: { path: string; masked: boolean }) => {
    const { text } = await service.api('GET', `/jobs/${id}/files/content?path=${encodeURIComponent(path)}`);
    return [path, [masked, text]];
  });
  expect(Object.fromEntries(await Promise.all(contents))).toEqual({
    '***.txt': [true, 'a *** b\n'],
    binary: [true, '\0***\0'],
    plain: [false, '1\n'],
  });
  expect(told).not.toContain(PLAIN);
});

it('secrets are masked in the encodings that programs use', async () => {
  const script = `
    const { ODD, PLAIN, KEY } = process.env;
    const ascii = (text) => text.replace(/[^ -~]/g, (unit) => '\\\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'));
    const lines = KEY.split('\\n').slice(1, -1);
    const ways = [
      ...[ODD, ...lines].flatMap((text) => [text, JSON.stringify(text), ascii(JSON.stringify(text))]),
      ...[ODD, ...lines].map((text) => ascii(JSON.stringify(text)).replaceAll('/', '\\\\/')),
      ...[ODD, ...lines].flatMap((text) => [encodeURIComponent(text), String(new URLSearchParams({ a: text }))]),
      ...[ODD, PLAIN, KEY, KEY + '\\n'].map((text) => Buffer.from(text).toString('base64')),
      ...[ODD, PLAIN, KEY].map((text) => Buffer.from(text).toString('base64url')),
    ];
    for (const way of ways) console.log(way);
    const [first, ...rest] = Buffer.from(ways[1]);
    process.stdout.write(Buffer.from([first]));
    setTimeout(() => process.stdout.write(Buffer.from(rest)), 100);`;
  const { result } = await ran(`exec "${process.execPath}" -e '${script.replaceAll("'", `'\\''`)}'`);
  const shown = result.stdout.trim().split('\n');
  expect(shown).toHaveLength(26);
  for (const line of shown) expect(line).toMatch(/^("?\*\*\*"?|a=\*\*\*)$/);
});

it('a secret in a prompt stays visible in the prompt, and is masked in the output of the attempt', async () => {
  const { id, result } = await ran(`echo ${PLAIN}`);
  expect(result).toMatchObject({ composed_prompt: 'echo ***', stdout: '***\n' });
  expect((await service.api('GET', `/jobs/${id}`)).json.prompt).toBe(`echo ${PLAIN}`);
});

it('no secret is in a log of the local run', () => {
  const logs = globSync('logs/**', { cwd: service.home }).map((file) => join(service.home, file));
  const texts = logs.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'utf8'));
  expect(texts.join('\n')).toContain('the setup command failed');
  for (const part of [PLAIN.slice(0, 10), LONG.slice(-40)])
    expect(texts.filter((text) => text.includes(part))).toEqual([]);
});
