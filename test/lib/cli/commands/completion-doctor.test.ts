import { execFileSync } from 'node:child_process';
import { expect, it, vi } from 'vitest';
import { type Finding, fault, ok, warning } from '../../../../lib/doctor/finding.ts';
import { textReport } from '../../../../lib/doctor/report.ts';
import { examineService } from '../../../../lib/doctor/service/examine-service.ts';
import { commandLine } from '../command-line.ts';

// The checks are tried against whole services elsewhere.
vi.mock('../../../../lib/doctor/service/examine-service.ts', () => ({ examineService: vi.fn() }));

const promptq = commandLine();

it.each<[string, string[], string[]]>([
  ['commands', ['lo'], ['login', 'logs']],
  ['the help', ['hel'], ['help']],
  ['options', ['logs', '--s'], ['--stream']],
  ['short options', ['logs', '-f'], ['-f']],
  ['the values of an option', ['logs', 'j', '--stream', 'std'], ['stdout', 'stderr']],
  ['the values of an argument', ['completion', 'b'], ['bash']],
  ['the actions of a command', ['templates', 's'], ['show', 'save']],
  ['the names of templates', ['templates', 'show', 'a'], ['alpha', 'alto']],
  ['the template of a job', ['run', '-t', 'b'], ['bravo']],
  ['another option of a job', ['run', '--templ'], ['--template', '--template-version']],
])('bash completes %s', async (_, words, completed) => {
  const { code, stdout } = await promptq(['completion', 'bash']);
  const line = ['promptq', ...words].map((word) => `'${word}'`).join(' ');
  const names = `promptq() { [ "$*" = 'templates --names' ] && printf '%s\\n' alpha alto bravo; }`;
  const asks = `${names}; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _promptq; echo "\${COMPREPLY[@]}"`;
  const answer = execFileSync('bash', ['-c', `${stdout}\n${asks}`], { encoding: 'utf8' });
  expect([code, answer.trim().split(' ')]).toEqual([0, completed]);
});

it('names that bash would expand are not completed', async () => {
  const items = ['fine.name-1', '$(touch /tmp/x)', 'a b', '`id`'].map((name) => ({ name, parameters: [] }));
  const answers = { 'GET /templates?limit=100': { items, next_cursor: null } };
  expect((await promptq(['templates', '--names'], answers)).stdout).toBe('fine.name-1\n');
});

const HEALTH = { 'GET /health': { status: 'ok', version: '1.2.3' } };
const FINE = ok('service', 'fine');

it.each<[string, Finding[], string[], number]>([
  ['all is well', [FINE], [], 0],
  ['a warning', [FINE, warning('queue', 'long\u0007', 'wait')], [], 0],
  ['a fault', [fault('job', 'lost', 'look'), FINE], ['--job'], 1],
  ['a fault of a job with a profile', [fault('job', 'lost', 'look')], ['--job', 'shell'], 1],
])('the doctor reports %s, and exits with a fault only', async (_, findings, options, code) => {
  vi.mocked(examineService).mockResolvedValue(findings);
  const ended = await promptq(['doctor', ...options], HEALTH);
  expect(ended).toMatchObject({ code, stdout: `${textReport(findings).replace('\u0007', '␇')}\n`, stderr: '' });
  const profile = options.length === 0 ? undefined : (options[1] ?? 'codex');
  expect(vi.mocked(examineService).mock.lastCall).toEqual([
    expect.objectContaining({ baseUrl: 'http://127.0.0.1', isLocal: false }),
    { version: '1.2.3', job: profile === undefined ? undefined : { profile, timeoutMs: 180_000 } },
  ]);
  const json = await promptq(['doctor', '--json', ...options], HEALTH);
  expect([json.code, JSON.parse(json.stdout).findings]).toEqual([code, findings]);
});
