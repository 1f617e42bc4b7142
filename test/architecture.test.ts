import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { afterAll, describe, expect, test } from 'vitest';
import type { Door } from '../lib/contract/route.ts';
import { routes } from '../lib/contract/routes/routes.ts';
import { DataStack } from '../lib/stacks/data/data-stack.ts';
import { bundleFunctions, FUNCTION_IDS, NOT_FOUND, sourceOf } from '../lib/stacks/functions/bundle-functions.ts';
import { accessStatements } from '../lib/stacks/iam/access-statements.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = globSync('{bin,lib,functions,worker-container}/**/*.ts', { cwd: ROOT });

/** What a file imports, types too: files of ours by their path from the root, the rest as written. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const written = [...text.matchAll(/^(?:import|export)\s(?:[^'"]*?\sfrom\s)?'([^']+)'|\bimport\('([^']+)'\)/gms)];
  return written
    .map((match) => match[1] ?? match[2] ?? '')
    .map((target) => (target.startsWith('.') ? normalize(join(dirname(file), target)) : target));
}

const IMPORTS = new Map(SOURCES.map((file) => [file, importsOf(file)]));

const sourcesUnder = (...folders: string[]) =>
  SOURCES.filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)));
const offences = (files: readonly string[], isAllowed: (target: string, file: string) => boolean) =>
  files.flatMap((file) =>
    (IMPORTS.get(file) ?? []).filter((target) => !isAllowed(target, file)).map((target) => `${file} imports ${target}`),
  );
/** A file and all of ours that it needs. */
function closureOf(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const target of IMPORTS.get(entry) ?? []) if (IMPORTS.has(target)) closureOf(target, seen);
  return seen;
}

describe('imports', () => {
  test('are seen by this test', () => {
    expect(IMPORTS.get('lib/stacks/functions/bundle-functions.ts')).toEqual([
      'node:fs',
      'node:path',
      'node:url',
      'esbuild',
      'lib/contract/routes/routes.ts',
      'lib/stacks/functions/lean-contract.ts',
      'lib/stacks/functions/lean-sdk.ts',
      'lib/stacks/functions/on-demand.ts',
    ]);
    const missing = [...IMPORTS].flatMap(([file, targets]) =>
      targets
        .filter((target) => /^(bin|lib|functions|worker-container)\//.test(target) && !IMPORTS.has(target))
        .map((target) => `${file}: ${target}`),
    );
    expect(missing).toEqual([]);
  });

  test('of the contract are zod only, so that a browser can have it', () => {
    const allowed = (target: string, file: string) =>
      target.startsWith('lib/contract/') ||
      target === 'zod' ||
      (target === 'zod-openapi' && file === 'lib/contract/openapi/openapi.ts');
    expect(offences(sourcesUnder('lib/contract'), allowed)).toEqual([]);
  });

  test('of the CDK and of esbuild are only where stacks and bundles are built', () => {
    const tools = /^(aws-cdk-lib|cdk-nag|constructs|esbuild)(\/|$)/;
    const users = [...IMPORTS]
      .filter(([, targets]) => targets.some((target) => tools.test(target)))
      .map(([file]) => file);
    expect(
      users.filter(
        (file) =>
          !/^(lib\/stacks\/|bin\/app\.ts$|bin\/(bundle-worker|pack-cli|pack\/bundled-modules)\.ts$|lib\/local\/bundle-local-run\.ts$)/.test(
            file,
          ),
      ),
    ).toEqual([]);
  });

  test('of modules that start processes are in few places of the worker: only they set an environment or rights', () => {
    const users = sourcesUnder('worker-container').filter((file) => IMPORTS.get(file)?.includes('node:child_process'));
    expect(users.toSorted()).toEqual([
      'worker-container/processes/process-scan.ts',
      'worker-container/service-accounts/account-scan.ts',
      'worker-container/service-accounts/start-under-account.ts',
    ]);
  });

  test('of packages are of packages that package.json names, and in what is deployed of dependencies', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
      string,
      object
    >;
    const packageOf = (target: string) =>
      target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/');
    const isPackage = (target: string) =>
      !IMPORTS.has(target) && !/^(node:|\.|openapi\.json|(package|cdk)\.json)/.test(target);
    const named = { ...dependencies, ...devDependencies, 'aws-lambda': 'types only' };
    expect(offences(SOURCES, (target) => !isPackage(target) || packageOf(target) in named)).toEqual([]);
    const deployed = FUNCTION_IDS.map(sourceOf)
      .concat('worker-container/main.ts')
      .flatMap((entry) => [...closureOf(entry)]);
    const shipped = { ...dependencies, 'aws-lambda': 'types only' };
    expect(offences([...new Set(deployed)], (target) => !isPackage(target) || packageOf(target) in shipped)).toEqual(
      [],
    );
    // Newer ones, as node:sqlite, are listed with their prefix.
    const isBare = (target: string) => builtinModules.includes(target) && !target.startsWith('node:');
    expect(offences(SOURCES, (target) => !isBare(target))).toEqual([]);
  });
});

describe("what the worker's image is made from", () => {
  const dockerignore = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  const excluded = dockerignore.filter((line) => line.startsWith('lib/'));

  test('is all that the worker needs', () => {
    expect(excluded.length).toBeGreaterThan(0);
    const needed = [...closureOf('worker-container/main.ts')];
    expect(needed.filter((file) => excluded.some((folder) => file.startsWith(`${folder}/`)))).toEqual([]);
  });

  test('is the Node that all else runs on', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      devDependencies: { node: string };
    };
    const dockerfile = readFileSync(join(ROOT, 'worker-container/Dockerfile'), 'utf8');
    expect(/^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(dockerfile)?.[1]).toBe(devDependencies.node);
  });
});

describe('the bundles of the functions', async () => {
  const outdir = mkdtempSync(join(tmpdir(), 'promptq-bundles-'));
  afterAll(() => rmSync(outdir, { recursive: true, force: true }));
  const bundles = await bundleFunctions(outdir);
  const data = new DataStack(new App(), 'data');
  const inputsOf = (id: string) => {
    const file = join(bundles.folderOf(id), 'index.js');
    const output = Object.entries(bundles.outputs).find(([path]) => join(ROOT, path) === file)?.[1];
    const inputs = Object.entries(output?.inputs ?? {});
    return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([input]) => input);
  };
  const holds = (id: string, part: string) => inputsOf(id).some((input) => input.includes(part));

  test.each(FUNCTION_IDS)('%s holds its own source, and nothing of the stacks, the local run or the worker', (id) => {
    expect(inputsOf(id)).toContain(sourceOf(id));
    expect(inputsOf(id).filter((input) => /^(lib\/(local|stacks)|worker-container|bin|test)\//.test(input))).toEqual(
      [],
    );
    expect(inputsOf(id).filter((input) => input.startsWith('functions/'))).toEqual([sourceOf(id)]);
  });

  test.each(FUNCTION_IDS)('%s holds neither the whole table nor what makes the OpenAPI document of it', (id) => {
    expect(
      inputsOf(id).filter((input) => /contract\/(routes\/routes|openapi\/openapi)\.ts$|zod-openapi/.test(input)),
    ).toEqual([]);
  });

  test.each<Pick<Door, 'access'> & { readonly id: string }>([...routes, { id: NOT_FOUND, access: {} }])(
    '$id holds clients of what its line declares',
    ({ id, access }) => {
      const holdsObjects =
        holds(id, '@aws-sdk/client-s3/') || existsSync(join(bundles.folderOf(id), 'object-requests.js'));
      const usesExports = access.exports?.some((use) => use === 'link' || use === 'delete') === true;
      expect(holdsObjects).toBe('output' in access || usesExports);
      expect(holds(id, '@aws-sdk/client-sqs/')).toBe('dispatchQueues' in access);
    },
  );

  test.each(routes)('$id reads indexes of tables only if its role may', (route) => {
    const sources = inputsOf(route.id).filter((input) => input.startsWith('lib/'));
    const reads = sources.some((input) => readFileSync(join(ROOT, input), 'utf8').includes('IndexName:'));
    const resources = accessStatements(data, route).flatMap((statement) => statement.resources);
    expect([reads, resources.some((resource) => resource.includes('/index/'))]).not.toEqual([true, false]);
  });

  test("hold no language of zod's but English: that takes `import * as z`, of which esbuild sees what is used", () => {
    const languages = (id: string) =>
      inputsOf(id).filter((input) => /zod\/v4\/locales\//.test(input) && !/locales\/(en|index)\.js$/.test(input));
    expect(FUNCTION_IDS.filter((id) => languages(id).length > 0)).toEqual([]);
  });

  test('load what reads Parameter Store at its first use, from a separate file', () => {
    const needing = FUNCTION_IDS.filter((id) => holds(id, 'platform/aws/read-place.ts'));
    expect(needing).toContain('jobs.create');
    for (const id of FUNCTION_IDS) {
      expect(existsSync(join(bundles.folderOf(id), 'parameters.js')), id).toBe(needing.includes(id));
      if (needing.includes(id)) expect(holds(id, '@aws-sdk/client-ssm/'), id).toBe(false);
    }
  });

  test('open their clients while Lambda initialises them, and elsewhere with the first call', () => {
    const load = (env: Record<string, string>) =>
      spawnSync(process.execPath, [join(bundles.folderOf('jobs.status'), 'index.js')], { env, encoding: 'utf8' });
    const inLambda = load({ AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' });
    expect([inLambda.status, inLambda.stderr]).toEqual([1, expect.stringContaining('JOBS_TABLE')]);
    expect(load({})).toMatchObject({ status: 0, stderr: '' });
  });

  test('are the same bytes wherever they are made', () => {
    for (const id of FUNCTION_IDS) {
      const code = readFileSync(join(bundles.folderOf(id), 'index.js'), 'utf8');
      expect([code.includes(ROOT), code.includes(outdir)]).toEqual([false, false]);
    }
  });
});
