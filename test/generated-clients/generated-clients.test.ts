import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../local-run/local-service.ts';
import { sharedService } from '../local-run/shared-service.ts';
import { COMPONENTS, DOCUMENT, EXPECTED, ROOT } from './client-programs.ts';

const run = promisify(execFile);

let service: ServiceUnderTest;
let folder: string;

beforeAll(async () => {
  service = await sharedService();
  folder = await mkdtemp(join(tmpdir(), 'promptq-clients-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const access = () => ({ ...process.env, PROMPTQ_URL: service.baseUrl, PROMPTQ_TOKEN: service.token });

test('the client of @hey-api/openapi-ts has every type, passes the strict type check and runs jobs', async () => {
  const project = join(folder, 'typescript');
  const client = join(project, 'promptq');
  const generate = ['-i', DOCUMENT, '-o', client, '--no-log-file'];
  const generated = await run(process.execPath, [
    join(ROOT, 'node_modules/@hey-api/openapi-ts/bin/run.js'),
    ...generate,
  ]);
  expect(generated.stdout + generated.stderr).not.toMatch(/warn|skip|error/i);
  const types = await readFile(join(client, 'types.gen.ts'), 'utf8');
  expect(COMPONENTS.filter((name) => !types.includes(`\nexport type ${name} = `))).toEqual([]);

  await cp(join(ROOT, 'docs/api/clients/run-job.ts'), join(project, 'run-job.ts'));
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(typescriptProject(), null, 2));
  // The compiler prints its errors to stdout, which is all that the thrown error lacks.
  const compiled = await run(process.execPath, [
    join(ROOT, 'node_modules/typescript-native/bin/tsc'),
    '-p',
    project,
  ]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout || 'the compiler failed',
  );
  expect(compiled).toBe('');

  const { stdout } = await run(process.execPath, [join(project, 'out/run-job.js')], { env: access() });
  expect(JSON.parse(stdout)).toEqual(EXPECTED);
});

/** As strict as this project. A client in a browser's style needs the types of the DOM. */
function typescriptProject() {
  return {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      allowImportingTsExtensions: false,
      rootDir: '.',
      outDir: 'out',
      lib: ['ES2024', 'DOM', 'DOM.Iterable'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: ['**/*.ts'],
  };
}
