import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMPONENTS, DOCUMENT, EXPECTED, ROOT } from '../generated-clients/client-programs.ts';
import { PythonMissingError, pythonPackages } from '../generated-clients/python-packages.ts';
import { type OwnService, startService } from '../local-run/local-service.ts';

const run = promisify(execFile);

let service: OwnService;
let folder: string;

beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_API_SCOPE_ENFORCE: '1' } });
  folder = await mkdtemp(join(tmpdir(), 'promptq-clients-'));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const access = () => ({ ...process.env, PROMPTQ_URL: service.baseUrl, PROMPTQ_TOKEN: service.token });

test('the client of openapi-python-client has every model and runs jobs', async ({ skip }) => {
  const packages = await pythonPackages().catch((error: unknown) => {
    if (error instanceof PythonMissingError) return skip(error.message);
    throw error;
  });
  const env = {
    ...access(),
    PATH: [join(packages, 'bin'), process.env.PATH].join(delimiter),
    PYTHONPATH: [packages, folder].join(delimiter),
  };
  const client = join(folder, 'promptq_client');
  const generate = ['generate', '--path', DOCUMENT, '--meta', 'none', '--output-path', client, '--fail-on-warning'];
  const generated = await run('python3', ['-m', 'openapi_python_client', ...generate], { env });
  expect(generated.stdout + generated.stderr).not.toMatch(/warn|skip|omitted|unable/i);
  const models = await readFile(join(client, 'models/__init__.py'), 'utf8');
  expect(COMPONENTS.filter((name) => !models.includes(`import ${name}\n`))).toEqual([]);

  const { stdout } = await run('python3', [join(ROOT, 'docs/api/clients/run_job.py')], { env });
  expect(JSON.parse(stdout)).toEqual(EXPECTED);
});
