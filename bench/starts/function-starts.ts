import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { TokenStore } from '../../lib/access/tokens/token-store.ts';
import { createJob } from '../../lib/jobs/creation/create-job.ts';
import { bundleFunctions, FUNCTION_IDS } from '../../lib/stacks/functions/bundle-functions.ts';
import { emulateDeployment } from '../../test/stand-ins/emulated-deployment.ts';
import { openWorker } from '../../test/stand-ins/emulated-worker.ts';
import { cost } from '../cost/prices.ts';
import { delayEndpoints } from './delayed-endpoints.ts';
import type { Start } from './one-start.ts';

/**
 * The CPU time of the starts of deployed functions, beside a handler that does nothing, and the sizes of the bundles.
 * `npm run bench -- starts [--rounds N]`
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } });
const rounds = Number(values.rounds);
const run = promisify(execFile);
/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
const MIB_OF_VCPU = 1_769;
/** Taken for the requests to AWS that one of ours waits for. */
const WAITING_MS = 15;
/** Added to each request to an emulator where times by the clock are measured. */
const DELAY_MS = 5;

const folder = await mkdtemp(join(tmpdir(), 'promptq-starts-'));
const deployment = await emulateDeployment();
try {
  const { token } = await new TokenStore(deployment.registry).create({ name: 'bench', scopes: ['admin'] });
  const { creation } = await openWorker(deployment);
  const { id } = await createJob(creation, { prompt: 'echo hello' }, 'bench');
  const bundles = await bundleFunctions(folder);
  // As JavaScript, so that no time goes into its types.
  const program = join(folder, 'one-start.cjs');
  const source = fileURLToPath(new URL('one-start.ts', import.meta.url));
  buildSync({ entryPoints: [source], outfile: program, bundle: true, platform: 'node', format: 'cjs' });
  const empty = join(folder, 'empty.cjs');
  await writeFile(empty, 'exports.handler = async () => ({ statusCode: 200 });');
  const event = (method: string, path: string, options: { readonly body?: unknown; readonly query?: string } = {}) =>
    JSON.stringify({
      httpMethod: method,
      path,
      resource: path.replace(id, '{id}'),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      multiValueHeaders: { authorization: [`Bearer ${token}`], 'content-type': ['application/json'] },
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: path.includes(id) ? { id } : null,
      body: options.body === undefined ? null : JSON.stringify(options.body),
      isBase64Encoded: false,
      requestContext: { requestId: 'start', identity: { sourceIp: '127.0.0.1' } },
    });
  const bundle = (functionId: string) => join(bundles.folderOf(functionId), 'index.js');
  const cases: Readonly<Record<string, readonly [file: string, event: string]>> = {
    'an empty handler': [empty, '{}'],
    'POST /jobs': [
      bundle('jobs.create'),
      event('POST', '/api/v1/jobs', { body: { prompt: 'echo hello', profile: 'shell' } }),
    ],
    'GET /jobs': [bundle('jobs.list'), event('GET', '/api/v1/jobs')],
    'GET /jobs/{id}/status': [bundle('jobs.status'), event('GET', `/api/v1/jobs/${id}/status`)],
    'GET /jobs/{id}': [bundle('jobs.read'), event('GET', `/api/v1/jobs/${id}`)],
    'GET /jobs/{id}/logs': [bundle('jobs.logs'), event('GET', `/api/v1/jobs/${id}/logs`)],
    'GET /jobs/{id}/result': [bundle('jobs.result'), event('GET', `/api/v1/jobs/${id}/result`)],
  };
  const starts = new Map(Object.keys(cases).map((name) => [name, [] as Start[]]));
  const env = {
    ...deployment.processEnv,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  };
  const start = async (given: readonly string[], environment: NodeJS.ProcessEnv) => {
    const { stdout } = await run(process.execPath, [program, ...given], { env: environment });
    return JSON.parse(stdout.slice(stdout.lastIndexOf('{'))) as Start;
  };
  for (let round = 0; round < rounds; round += 1)
    for (const [name, given] of Object.entries(cases)) starts.get(name)?.push(await start(given, env));
  const delayed = await delayEndpoints(env, DELAY_MS);
  const times = new Map<string, number>();
  for (const [name, given] of Object.entries(cases)) times.set(name, (await start(given, delayed.env)).time);
  delayed.stop();
  const sizes = await Promise.all(FUNCTION_IDS.map(async (one) => (await stat(bundle(one))).size));
  const first = median(starts.get('an empty handler')?.map(({ answered }) => answered) ?? []);
  console.log(
    `medians of ${rounds} starts; Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  for (const [name, all] of starts) {
    const answered = median(all.map((one) => one.answered));
    const loaded = median(all.map((one) => one.loaded));
    const warm = median(all.map((one) => one.warm));
    const statuses = [...new Set(all.map(({ status }) => status))].join(', ');
    console.log(
      `${name.padEnd(24)}${answered.toFixed(0).padStart(6)} ms = ${(answered / first).toFixed(1)}x, ${loaded.toFixed(0)} ms until it was loaded; warm ${warm.toFixed(1)} ms; status ${statuses}`,
    );
  }
  console.log(`\nmedian time of a warm request, with ${DELAY_MS} ms added to each of its requests to AWS`);
  for (const [name, time] of times) console.log(`${name.padEnd(24)}${time.toFixed(0).padStart(6)} ms`);
  for (const name of ['POST /jobs', 'GET /jobs']) printCurve(name, starts.get(name) ?? []);
  console.log(
    `\n${sizes.length} bundles: median ${kilobytes(median(sizes))}, largest ${kilobytes(Math.max(...sizes))} at a start`,
  );
} finally {
  await deployment.stop();
  await rm(folder, { recursive: true, force: true });
}

/**
 * What each size of memory makes of a function: the time of its CPU in a first and in a warm request, and dollars for a
 * million warm ones.
 */
function printCurve(name: string, starts: readonly Start[]): void {
  const [loaded, answered, warm] = (['loaded', 'answered', 'warm'] as const).map((part) =>
    median(starts.map((start) => start[part])),
  ) as [number, number, number];
  console.log(`\n${name}: MiB, cold ms, warm ms, $ per million warm requests`);
  for (const memory of [128, 256, 512, 1_024, 1_769]) {
    const share = Math.min(1, memory / MIB_OF_VCPU);
    const [cold, each] = [loaded + (answered - loaded) / share, warm / share];
    const price =
      1e6 * (cost('lambdaRequest', 1) + cost('lambdaArm', ((each + WAITING_MS) / 1_000) * (memory / 1_024)));
    console.log(
      [memory, cold + WAITING_MS, each + WAITING_MS].map((n) => n.toFixed(0).padStart(8)).join(''),
      price.toFixed(2).padStart(8),
    );
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1_000)} KB`;
}
