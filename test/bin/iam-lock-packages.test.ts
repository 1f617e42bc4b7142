import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { readAssembly } from '../../lib/stacks/iam/assembly.ts';
import { runHere } from './run-here.ts';

vi.mock('node:child_process', () => ({ execFileSync: vi.fn() }));
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  writeFileSync: vi.fn(),
}));
vi.mock('../../lib/stacks/iam/assembly.ts', () => ({ readAssembly: vi.fn() }));
vi.mock('../../lib/stacks/iam/grants.ts', () => ({ grantsOf: ({ grants }: { grants: object[] }) => grants }));
vi.mock('../../lib/stacks/iam/iam-exceptions.ts', () => ({
  IAM_EXCEPTIONS: {
    one: { actions: ['a:List'], resource: /^\*$/, reason: 'It has no resources.' },
    two: { actions: ['b:Get'], resource: /^\*$/, reason: 'Nor has this.' },
  },
}));

const grant = (holder: string, actions: string[], resources: string[], conditions: string[] = []) => ({
  ...{ holder, actions, resources, conditions },
});
const GRANTS = [
  grant('Claim', ['a:List'], ['*']),
  grant('Claim', ['c:Put', 'c:Get'], ['Table'], ['x is 1', 'y is 2']),
  grant('Watch', ['b:Get'], ['*']),
];

beforeEach(() => {
  vi.clearAllMocks();
});

/** Runs the command on an assembly of two stacks. */
async function iam(more: readonly object[], ...args: string[]) {
  const stacks = [
    { name: 'data', template: { grants: [] } },
    { name: 'api', template: { grants: [...GRANTS, ...more] } },
  ];
  vi.mocked(readAssembly).mockReturnValue(stacks as unknown as ReturnType<typeof readAssembly>);
  return await runHere(async () => await import('../../bin/iam.ts'), args);
}

it('npm run iam prints what each role may do, with the reasons of wildcards', async () => {
  const { code, stdout, stderr } = await iam([]);
  expect([code, stderr, stdout.replaceAll(/ +(?= )/g, '')]).toEqual([
    0,
    '',
    [
      '',
      'api: Claim',
      ' a:List * [1]',
      ' c:Put c:Get Table when x is 1; y is 2',
      '',
      'api: Watch',
      ' b:Get * [2]',
      '',
      '2 roles, 3 grants. Reasons for wildcards:',
      ' [1] It has no resources.',
      ' [2] Nor has this.',
      '',
    ].join('\n'),
  ]);
  expect(vi.mocked(readAssembly).mock.lastCall?.[0]).toMatch(/cdk\.out$/);
});

it('npm run iam prints only the roles that are named, of the assembly that is named', async () => {
  const { stdout } = await iam([], 'Watch', '--app', 'other');
  expect(stdout).toContain('1 roles, 1 grants.');
  expect(stdout).not.toContain('Claim');
  expect(vi.mocked(readAssembly).mock.lastCall).toEqual(['other']);
});

it('npm run iam fails at a grant that is too broad', async () => {
  const { code, stderr } = await iam([grant('Broad', ['c:*'], ['Table'])]);
  expect([code, stderr]).toEqual([1, 'TOO BROAD: api: Broad: the action c:*\n']);
});

it('npm run lock:packages writes the manifests that are stored, and has npm lock them without scripts', async () => {
  await runHere(async () => await import('../../bin/lock-packages.ts'), []);
  const written = vi.mocked(writeFileSync).mock.calls;
  expect(written.map(([file]) => String(file).split('/').slice(-3).join('/'))).toEqual([
    'worker-container/vendor-clis/package.json',
    'local/packages/package.json',
  ]);
  for (const [file, text] of written) expect(text).toBe(readFileSync(String(file), 'utf8'));
  expect(vi.mocked(execFileSync).mock.calls).toEqual(
    written.map(([file]) => [
      'npm',
      ['install', '--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved'],
      { cwd: String(file).slice(0, -basename(String(file)).length), stdio: ['ignore', 'ignore', 'inherit'] },
    ]),
  );
});
