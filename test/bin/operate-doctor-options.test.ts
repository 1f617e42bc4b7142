import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fault, ok, warning } from '../../lib/doctor/finding.ts';
import { jsonReport, textReport } from '../../lib/doctor/report.ts';
import { defaultHome } from '../../lib/local/run/default-home.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { runHere } from './run-here.ts';

/** What the programs have asked others to do. */
let asked: unknown[] = [];
let found: ReturnType<typeof ok>[] | Error;
let stats: { jobs: number; differences: object[] };
let kept: Record<string, number>;
const COUNTS = { DRAFT: 1, QUEUED: 2, RUNNING: 3, SUCCEEDED: 4, FAILED: 5, CANCELLED: 6 };

const asks =
  (name: string) =>
  async (...given: unknown[]) => {
    asked.push([name, ...given]);
    if (found instanceof Error) throw found;
    return found;
  };
vi.mock('../../lib/local/operator/operator-environment.ts', () => ({
  enterDeployment: asks('enterDeployment'),
  enterReconciler: asks('enterReconciler'),
}));
vi.mock('../../functions/triggers/reconcile-jobs.ts', () => ({ handler: asks('reconcile') }));
vi.mock('../../lib/platform/config/read-env.ts', () => ({
  readEnv: () => ({ REGISTRY_TABLE: 'registry', JOBS_TABLE: 'jobs' }),
}));
vi.mock('../../lib/platform/aws/clients.ts', () => ({ tableClient: () => ({ table: 'table' }) }));
vi.mock('../../lib/stats/counting/counts.ts', () => ({
  JobCounts: class {
    constructor(of: unknown) {
      asked.push(['counts', of]);
    }

    read() {
      return kept;
    }
  },
}));
vi.mock('../../lib/stats/counting/recount.ts', () => ({
  recount: async (...given: unknown[]) => {
    asked.push(['recount', ...given]);
    return COUNTS;
  },
}));
vi.mock('../../lib/stats/counting/recount-stats.ts', () => ({
  recountStats: async (...given: unknown[]) => {
    asked.push(['recountStats', ...given]);
    return stats;
  },
}));
vi.mock('../../lib/doctor/before-deploy/examine-before-deploy.ts', () => ({ examineBeforeDeploy: asks('before') }));
vi.mock('../../lib/doctor/deployment/examine-deployment.ts', () => ({ examineDeployment: asks('deployment') }));
vi.mock('../../lib/doctor/home/examine-home.ts', () => ({ examineHome: asks('home') }));
vi.mock('../../lib/doctor/service/examine-service.ts', () => ({ examineService: asks('service') }));
vi.mock('../../lib/doctor/service/service.ts', () => ({ openService: (of: object) => of }));

beforeEach(() => {
  [asked, found, stats, kept] = [[], [ok('x', 'fine')], { jobs: 21, differences: [] }, COUNTS];
  for (const name of [
    'PROMPTQ_HOME',
    'PROMPTQ_TOKEN',
    'PROMPTQ_CONFIG',
    'CDK_DOCKER',
    'AWS_REGION',
    'AWS_DEFAULT_REGION',
  ])
    vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const operate = async (...args: string[]) => await runHere(async () => await import('../../bin/operate.ts'), args);
const doctor = async (...args: string[]) => await runHere(async () => await import('../../bin/doctor.ts'), args);

describe('npm run redrive', () => {
  it.each([
    [[], { home: defaultHome() }],
    [['--home', 'h'], { home: 'h' }],
    [['--stack', 's'], { home: defaultHome(), stack: 's' }],
  ])('reissues the messages of its target: %j', async (options, target) => {
    const { code, stdout } = await operate(...options, 'redrive');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Every waiting job has a dispatch message again\./)]);
    expect(asked).toEqual([
      ['enterReconciler', target],
      ['reconcile', { redrive: true }],
    ]);
  });

  it('says what fails', async () => {
    found = new Error('no service runs on it');
    expect(await operate('redrive')).toEqual({ code: 1, stdout: '', stderr: 'error: no service runs on it\n' });
  });
});

describe('npm run recount', () => {
  const LINES = Object.entries(COUNTS).map(
    ([status, count]) => `${status.padEnd(10)} stored ${count}  counted ${count}`,
  );

  it('compares the stored counts with the jobs', async () => {
    const { code, stdout } = await operate('--home', 'h', 'recount');
    expect([code, stdout.trimEnd().split('\n')]).toEqual([
      0,
      [...LINES, 'the statistics of projects, days and models match the 21 jobs'],
    ]);
    expect(asked).toEqual([
      ['enterDeployment', { home: 'h' }],
      ['counts', { table: 'table', registryTable: 'registry' }],
      ['recount', 'table', 'jobs'],
      ['recountStats', 'table', { jobsTable: 'jobs', registryTable: 'registry' }],
    ]);
  });

  it.each([
    ['a count', { ...COUNTS, FAILED: 9 }, [], ['FAILED     stored 9  counted 5  DIFFERENT'], true],
    [
      'a statistic',
      COUNTS,
      [{ item: 'project#p', attribute: 'jobs', kept: 1, counted: 2 }],
      ['project#p: jobs stored 1  counted 2  DIFFERENT'],
      false,
    ],
  ])('fails at %s that differs', async (_, stored, differences, lines, match) => {
    [kept, stats] = [stored, { jobs: 21, differences }];
    const { code, stdout } = await operate('recount');
    expect(code).toBe(1);
    expect(stdout.split('\n').filter((line) => line.endsWith('DIFFERENT'))).toEqual(lines);
    expect(stdout.includes('match the 21 jobs')).toBe(match);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^Counts lag writes by a second or two\./);
  });
});

describe('npm run doctor', () => {
  const { version } = packageJson;
  const settings = { x: 1 };

  it.each<[string, string[], Record<string, string>, unknown[]]>([
    ['the local run', [], {}, ['home', defaultHome(), { version, config: undefined, job: undefined }]],
    [
      'one with a job',
      ['--home', 'h', '--job'],
      { PROMPTQ_CONFIG: 'c', PROMPTQ_HOME: 'other' },
      ['home', 'h', { version, config: 'c', job: { profile: 'shell', timeoutMs: 180_000 } }],
    ],
    [
      'a service',
      ['--url', 'u', '--job', '--job-seconds', '99999'],
      { PROMPTQ_TOKEN: 't' },
      [
        'service',
        { baseUrl: 'u', token: 't', isLocal: false },
        { version, job: { profile: 'codex', timeoutMs: 99_999_000 } },
      ],
    ],
    [
      'a service with a job of a profile',
      ['--url', 'u', '--job', 'p', '--job-seconds', '1'],
      { PROMPTQ_TOKEN: 't' },
      ['service', expect.anything(), { version, job: { profile: 'p', timeoutMs: 1_000 } }],
    ],
    [
      'a deployment',
      ['--deployment', 'd', '--settings', JSON.stringify(settings)],
      { PROMPTQ_TOKEN: '' },
      [
        'deployment',
        expect.objectContaining({
          deploymentName: 'd',
          settings: '{"x":1}',
          token: undefined,
          url: undefined,
          version,
        }),
      ],
    ],
    [
      'a machine before a deployment',
      ['--before-deploy'],
      {},
      ['before', expect.objectContaining({ docker: 'docker', region: undefined })],
    ],
    [
      'one with another builder and a region',
      ['--before-deploy', '--settings', '{}'],
      { CDK_DOCKER: 'podman', AWS_REGION: 'r', AWS_DEFAULT_REGION: 'other' },
      ['before', expect.objectContaining({ docker: 'podman', region: 'r', settings: '{}' })],
    ],
    [
      'one with a default region',
      ['--before-deploy'],
      { AWS_DEFAULT_REGION: 'other' },
      ['before', expect.objectContaining({ region: 'other' })],
    ],
  ])('examines %s', async (_, args, env, question) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect(await doctor(...args)).toMatchObject({ code: 0, stdout: `${textReport([ok('x', 'fine')])}\n`, stderr: '' });
    expect(asked).toEqual([question]);
  });

  it.each([
    [0, [ok('x', 'fine')]],
    [1, [ok('x', 'fine'), warning('y', 'late', 'wait')]],
    [2, [fault('z', 'lost', 'look'), warning('y', 'late', 'wait')]],
  ])('exits with %d by the worst of its findings, also as JSON', async (code, findings) => {
    found = findings;
    expect(await doctor()).toMatchObject({ code, stdout: `${textReport(findings)}\n` });
    expect(await doctor('--json')).toMatchObject({ code, stdout: `${jsonReport(findings)}\n` });
  });

  it('a check that fails is a fault, and so is a service without a token', async () => {
    found = new Error('no answer');
    const { code, stdout } = await doctor('--json');
    expect([code, JSON.parse(stdout).findings]).toEqual([2, [expect.objectContaining({ message: 'no answer' })]]);
    asked = [];
    const without = await doctor('--url', 'u', '--json');
    expect([without.code, JSON.parse(without.stdout).findings[0].check, asked]).toEqual([2, 'token', []]);
  });

  it.each(['0', '100000', '1.5', 'x'])('refuses %s seconds for a job with 2', async (seconds) => {
    const { code, stderr } = await doctor('--job-seconds', seconds);
    expect([code, asked]).toEqual([2, []]);
    expect(stderr).toContain('expected a number of seconds');
  });
});
