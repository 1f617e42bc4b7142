import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { TOOLS } from '../../bin/tools.ts';
import { BASE_PATH } from '../../lib/contract/route.ts';
import * as pages from '../../lib/contract/routes/pages.ts';
import { routes } from '../../lib/contract/routes/routes.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { DOCUMENTS, ROOT } from './documents.ts';

const run = promisify(execFile);

/** Blocks of shell commands that a test runs, by document and heading. */
const RUN_BY: Readonly<Record<string, string>> = {
  'README.md > Promptq': '.ci/run',
  'CONTRIBUTING.md > Run what CI runs': '.ci/run',
  'README.md > Your first job': 'test/docs/run-commands.test.ts',
  'README.md > Your first call': 'test/docs/run-commands.test.ts',
  'README.md > Your first real job': 'test/docs/first-real-job.test.ts',
  'docs/api/authentication.md > Tokens': 'test/docs/run-commands.test.ts',
  'docs/deploy/first-hour-on-aws.md > The first hour on AWS': 'test/docs/run-commands.test.ts',
  'docs/deploy/first-hour-on-aws.md > 4. An attachment whose name needs encoding': 'test/docs/run-commands.test.ts',
  'docs/guide/command-line.md > Install': 'test/bin/promptq/package.test.ts',
  'docs/guide/command-line.md > Run the service': 'test/bin/promptq/package.test.ts',
  'docs/guide/command-line.md > Log in': 'test/bin/promptq/guide.test.ts',
  'docs/guide/command-line.md > Run a job': 'test/bin/promptq/guide.test.ts',
  'docs/guide/command-line.md > Templates': 'test/bin/promptq/guide.test.ts',
  'docs/guide/command-line.md > Find and read jobs': 'test/bin/promptq/guide.test.ts',
  'docs/guide/command-line.md > Act on jobs': 'test/bin/promptq/guide.test.ts',
  'docs/guide/command-line.md > Files and changes': 'test/bin/promptq/guide.test.ts',
  'docs/guide/command-line.md > The service': 'test/bin/promptq/guide.test.ts',
  'docs/guide/command-line.md > Any other route': 'test/bin/promptq/guide.test.ts',
  'docs/guide/command-line.md > Completion': 'test/bin/promptq/guide.test.ts',
  'docs/guide/automations.md > Automations': 'test/docs/run-commands.test.ts',
  'docs/guide/automations.md > Triage on a hook': 'test/bin/promptq/automations.test.ts',
  'docs/guide/automations.md > A chain of two jobs': 'test/bin/promptq/automations.test.ts',
  'docs/guide/automations.md > A nightly dependency update': 'test/bin/promptq/automations.test.ts',
  'docs/guide/messages.md > Alert on failure': 'test/api/subscriptions/slack-and-mail.test.ts',
  'docs/guide/deploy-bindings.md > Deploy bindings': 'test/docs/run-commands.test.ts',
  'docs/guide/events.md > Events': 'test/docs/run-commands.test.ts',
  'docs/guide/messages.md > Answer from the phone': 'test/api/subscriptions/answer-from-the-phone.test.ts',
  'docs/guide/exports.md > Exports': 'test/docs/run-commands.test.ts',
  'docs/guide/subscriptions.md > Subscriptions': 'test/bin/promptq/subscriptions.test.ts',
  'docs/guide/rules-profiles-secrets.md > Parameters of a project': 'test/docs/run-commands.test.ts',
  'docs/guide/diagrams.md > Diagrams': 'test/bin/promptq/diagrams.test.ts',
  'docs/guide/vendor-accounts.md > Vendor accounts': 'test/docs/run-commands.test.ts',
  'docs/operate/doctor.md > The doctor': 'test/docs/run-commands.test.ts',
  'docs/operate/runbook.md > Dead letters of the deliveries queue': 'test/docs/aws-commands.test.ts',
  'docs/operate/runbook.md > Alarms': 'test/docs/run-commands.test.ts',
};

const AWS = 'needs an AWS account';
const INDEX = 'installs packages of a public index';

/** Blocks that no test can run, with the reason. Their commands are checked as far as that goes without running them. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'docs/api/clients.md > Generate a client': `${INDEX}; test/generated-clients runs two of the three at fixed versions`,
  'docs/deploy/aws.md > Deploy to AWS': AWS,
  'docs/deploy/aws.md > More people': AWS,
  'docs/deploy/aws.md > A second deployment': AWS,
  'docs/deploy/aws.md > Upgrade': AWS,
  'docs/deploy/aws.md > Remove': AWS,
  "docs/deploy/first-hour-on-aws.md > 1. The API's stack": AWS,
  "docs/deploy/first-hour-on-aws.md > 2. The worker's stack": AWS,
  'docs/deploy/first-hour-on-aws.md > 3. One shell job': AWS,
  'docs/deploy/first-hour-on-aws.md > 5. An abandoned log': AWS,
  'docs/deploy/first-hour-on-aws.md > 6. An API that was created again': AWS,
  'docs/deploy/first-hour-on-aws.md > 7. A real agent, with a sandbox and without': AWS,
  'docs/deploy/first-hour-on-aws.md > 8. A task that AWS takes back': AWS,
  'docs/deploy/first-hour-on-aws.md > 9. People': AWS,
  'docs/deploy/first-hour-on-aws.md > 10. The doctor': AWS,
  "docs/deploy/first-hour-on-aws.md > 11. The alarms' mail": AWS,
  'docs/deploy/recipes.md > An OpenAI API key instead of a ChatGPT account': AWS,
  'docs/deploy/recipes.md > Claude': AWS,
  'docs/deploy/recipes.md > A budget': AWS,
  'docs/deploy/recipes.md > Backup and restore': AWS,
  'docs/develop/testing.md > A second DynamoDB': INDEX,
  'docs/develop/testing.md > The API': INDEX,
  'docs/guide/local-run.md > Real vendors': INDEX,
  'docs/guide/local-run.md > Other platforms':
    'needs another DynamoDB; test/local-run/local-service.ts starts the service with one',
  'docs/guide/mcp.md > Configure an agent by HTTP':
    'needs an installation of claude; test/bin/promptq/mcp.test.ts starts the server',
  'docs/guide/mcp.md > Configure an agent on stdio':
    'needs an installation of claude; test/bin/promptq/mcp.test.ts starts the server',
  'docs/guide/rules-profiles-secrets.md > Secrets': AWS,
  'docs/operate/runbook.md > The first deployment of a stack failed': AWS,
  'docs/operate/runbook.md > Admit a proxy or a Telegram Mini App': AWS,
  'docs/operate/runbook.md > Old images and bundles pile up': AWS,
  'docs/operate/runbook.md > Logs and metrics': AWS,
  'docs/operate/runbook.md > Alarm launch-failures': AWS,
  'docs/operate/runbook.md > Alarm calls-given-up': AWS,
  'docs/operate/upgrades.md > In AWS': AWS,
  'docs/operate/upgrades.md > On one machine': 'takes a newer version of the repository',
  'docs/operate/upgrades.md > Take a version back': AWS,
};

const blocks = DOCUMENTS.flatMap(({ path, fences }) =>
  fences
    .filter(({ language }) => language === 'sh')
    .map(({ heading, text, line }) => ({ key: `${path} > ${heading}`, where: `${path}:${line}`, text })),
);

/** Commands: each line of a shell block with its continuations, and each code span of the prose. */
const commands = [
  ...blocks.flatMap(({ where, text }) =>
    text
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n')
      .map((line) => ({ where, text: line.replace(/(^|\s)#\s.*$/, '') })),
  ),
  ...DOCUMENTS.flatMap(({ path, prose }) =>
    [
      ...prose
        .map(({ text }) => text)
        .join('\n')
        .matchAll(/`([^`]+)`/g),
    ].map(([, text = '']) => ({
      where: path,
      text: text.replaceAll(/\s+/g, ' '),
    })),
  ),
];
/** Texts in the sources with commands for the reader. */
const hints = globSync(['{bin,lib,bench,console/src,functions,worker-container}/**/*.{ts,tsx}'], { cwd: ROOT }).flatMap(
  (file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/`(npm run [a-z][^`$]+?)\\?`/g)].map(([, text = '']) => ({
      where: file,
      text,
    })),
);

/** The words of each call of a program, up to the end of its command. */
function calls(program: string, from = commands): { where: string; words: string[] }[] {
  return from.flatMap(({ where, text }) =>
    [...text.matchAll(new RegExp(`(?:^|[\\s(;])${program} ([^|;)]*?)(?= && |$|[|;)])`, 'g'))].map(([, rest = '']) => ({
      where: `${where}: ${program} ${rest}`,
      words: rest.trim().split(/\s+/),
    })),
  );
}

const flagsIn = (words: readonly string[]) =>
  words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0] ?? '');

describe('blocks of shell commands', () => {
  test('are run by a test, or listed with the reason why not', () => {
    const keys = new Set(blocks.map(({ key }) => key));
    const listed = [...Object.keys(RUN_BY), ...Object.keys(NOT_RUN)];
    expect([...keys].filter((key) => !listed.includes(key))).toEqual([]);
    expect(listed.filter((key) => !keys.has(key))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  test.each(Object.entries(RUN_BY).filter(([, file]) => file.endsWith('.ts')))('%s is named in %s', (key, file) => {
    const [path = '', heading = ''] = key.split(' > ');
    const source = readFileSync(join(ROOT, file), 'utf8');
    expect(source).toContain(path);
    expect(source).toContain(heading);
  });

  test('are valid bash', async () => {
    await Promise.all(blocks.map(async ({ text }) => await run('bash', ['-n', '-c', text])));
  });
});

describe('npm run', () => {
  const all = [...calls('npm run'), ...calls('npm run', hints)];

  test('names scripts of package.json', () => {
    const unknown = all.filter(
      ({ words }) => !Object.hasOwn(packageJson.scripts, (words[0] ?? '').replace(/[.,:]$/, '')),
    );
    expect(unknown.map(({ where }) => where)).toEqual([]);
    expect(all.length).toBeGreaterThan(40);
  });

  test.each(Object.keys(TOOLS))('%s names tools and options that exist', (subject) => {
    const wrong = all.filter(({ words: [script, dashes, name = '', ...options] }) => {
      if (script !== subject || dashes !== '--' || name === '--help') return false;
      const tool = TOOLS[subject]?.[name];
      return (
        tool === undefined || flagsIn(options).some((flag) => flag !== '--help' && !`${tool.options} `.includes(flag))
      );
    });
    expect(wrong.map(({ where }) => where)).toEqual([]);
  });

  test.each([
    ['doctor', 'bin/doctor.ts', [[]]],
    ['token', 'bin/token.ts', [[], ['create']]],
    ['redrive', 'bin/operate.ts', [[]]],
    ['recount', 'bin/operate.ts', [[]]],
  ])('%s names options of its --help', async (script, file, subcommands) => {
    const helps = await Promise.all(
      subcommands.map(async (words) => (await run(process.execPath, [file, ...words, '--help'], { cwd: ROOT })).stdout),
    );
    const known = new Set(helps.join('\n').match(/--[a-z-]+/g));
    const given = all.filter(({ words }) => words[0] === script).flatMap(({ words }) => flagsIn(words));
    expect(given.filter((flag) => !known.has(flag))).toEqual([]);
  });
});

test('npx cdk names commands and options of the CDK', () => {
  const registry = JSON.parse(readFileSync(join(ROOT, 'node_modules/aws-cdk/lib/cli/cli-type-registry.json'), 'utf8'));
  const all = calls('npx cdk');
  const wrong = all.filter(({ words: [command = '', ...rest] }) => {
    const options = { ...registry.globalOptions, ...registry.commands[command]?.options, quiet: {} };
    const unknown = flagsIn(rest).filter((flag) => !Object.hasOwn(options, flag.slice(2)));
    const stacks = rest.filter((word) => word.startsWith('promptq-'));
    return (
      !Object.hasOwn(registry.commands, command) ||
      unknown.length > 0 ||
      stacks.some((name) => !/^promptq-(data|api|worker|console)$/.test(name))
    );
  });
  expect(wrong.map(({ where }) => where)).toEqual([]);
  expect(all.length).toBeGreaterThan(15);
});

test('aws names operations of the services whose SDK is installed', () => {
  const all = calls('aws').filter(({ words: [service] }) =>
    existsSync(`${ROOT}/node_modules/@aws-sdk/client-${service}`),
  );
  const wrong = all.filter(({ words: [service, operation = ''] }) => {
    const name = operation.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
    return !existsSync(`${ROOT}/node_modules/@aws-sdk/client-${service}/dist-types/commands/${name}Command.d.ts`);
  });
  expect(wrong.map(({ where }) => where)).toEqual([]);
  expect(all.length).toBeGreaterThan(10);
});

test('calls of the API have a method and path of the routing table', () => {
  const named = [
    ...commands.flatMap(({ where, text }) =>
      [...text.matchAll(/(?:^|\s|\()(?:api )?(GET|POST|PUT|PATCH|DELETE) '?"?(\/[^\s'"?]*)/g)].map(
        ([, method, path]) => ({ where, method, path }),
      ),
    ),
    ...commands
      .filter(({ text }) => /\bcurl\b/.test(text))
      .flatMap(({ where, text }) =>
        [...text.matchAll(/\/api\/v1(\/[^\s'"?]*)/g)].map(([, path]) => ({
          where,
          method: /-X (\w+)/.exec(text)?.[1] ?? (/ -d /.test(text) ? 'POST' : 'GET'),
          path,
        })),
      ),
  ].map(({ path = '', ...rest }) => ({ ...rest, path: path.replace(BASE_PATH, '').split('/') }));
  const isRoute = (method: string | undefined, path: readonly string[]) =>
    [...routes, ...Object.values(pages)].some((route) => {
      const segments = route.path.split('/');
      const isSame = (segment: string, at: number) => segment.startsWith('{') || segment === path[at];
      return route.method === method && segments.length === path.length && segments.every(isSame);
    });
  const wrong = named.filter(({ method, path }) => !isRoute(method, path));
  expect(wrong.map(({ where, method, path }) => `${where}: ${method} ${path.join('/')}`)).toEqual([]);
  expect(named.length).toBeGreaterThan(40);
});

describe('names in the documents', () => {
  const sources = globSync(['{bin,lib,test,worker-container,functions}/**/*.ts'], { cwd: ROOT })
    .filter((file) => !file.startsWith('test/docs/'))
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');

  test('of environment variables are those that the code reads', () => {
    const texts = DOCUMENTS.flatMap(({ path, text }) =>
      [...text.matchAll(/\bPROMPTQ_[A-Z_]*[A-Z]\b/g)].map(([name]) => ({ path, name })),
    );
    const unknown = texts.filter(({ name }) => !/^PROMPTQ_(SECRET|PARAM)_/.test(name) && !sources.includes(name));
    expect(unknown).toEqual([]);
  });

  test('of log lines that the runbook searches for are lines that the code writes', () => {
    const sought = commands.flatMap(({ text }) =>
      [...text.matchAll(/\blogs \S+.*?\| grep (?:-\w )?'([a-z][a-z ]+)'/g)].map(([, line]) => line),
    );
    expect(sought.filter((line = '') => !sources.includes(line))).toEqual([]);
    expect(sought.length).toBeGreaterThan(4);
  });
});
