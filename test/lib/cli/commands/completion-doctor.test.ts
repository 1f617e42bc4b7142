import { execFileSync } from 'node:child_process';
import { expect, it, vi } from 'vitest';
import { type Finding, fault, ok, warning } from '../../../../lib/doctor/finding.ts';
import { textReport } from '../../../../lib/doctor/report.ts';
import { examineService } from '../../../../lib/doctor/service/examine-service.ts';
import { commandLine, refused } from '../command-line.ts';

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
])('bash completes %s', async (_, words, completed) => {
  const { code, stdout } = await promptq(['completion', 'bash']);
  const line = ['promptq', ...words].map((word) => `'${word}'`).join(' ');
  const asks = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _promptq; echo "\${COMPREPLY[@]}"`;
  const answer = execFileSync('bash', ['-c', `${stdout}\n${asks}`], { encoding: 'utf8' });
  expect([code, answer.trim().split(' ')]).toEqual([0, completed]);
});

it('zsh takes the script of bash, and fish gets each command, option and value', async () => {
  const { stdout: bash } = await promptq(['completion', 'bash']);
  const { stdout: zsh } = await promptq(['completion', 'zsh']);
  expect(zsh).toBe(`autoload -U +X bashcompinit && bashcompinit\n${bash}`);
  const lines = (await promptq(['completion', 'fish'])).stdout.split('\n');
  const of = (start: string) => lines.filter((line) => line.startsWith(`complete -c promptq -n ${start}`));
  expect(of('__fish_use_subcommand -f -a logs ')).toEqual([
    "complete -c promptq -n __fish_use_subcommand -f -a logs -d 'print the output of a job'",
  ]);
  expect(of("'__fish_seen_subcommand_from completion'")).toEqual([
    "complete -c promptq -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish' -d 'your shell'",
  ]);
  const ofLogs = of("'__fish_seen_subcommand_from logs'").map((line) => line.split("logs' ")[1]?.split(' -d ')[0]);
  expect(ofLogs).toEqual(['-s f -l follow', "-l stream -x -a 'stdout stderr all'", '-l attempt', '-l raw', '-l json']);
  expect(of("'__fish_seen_subcommand_from continue' -l fresh-folder")).toEqual([
    expect.stringContaining(String.raw`-d 'work in a new folder instead of the thread\'s'`),
  ]);
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

it.each([
  ['does not answer', refused(503, 'unavailable'), 6, "can't reach the service: the service answered 503 unavailable"],
  ['is not there', refused(404, 'not_found'), 4, 'not_found: the service has nothing at this path'],
])('the doctor ends at a service that %s', async (_, answer, code, message) => {
  const ended = await promptq(['doctor'], { 'GET /health': answer });
  expect(ended).toMatchObject({ code, stdout: '', stderr: `promptq: ${message}\n`, requests: ['GET /health'] });
});
