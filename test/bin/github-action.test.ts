import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { documentAt, ROOT } from '../docs/documents.ts';
import { signedInBrowser } from '../local-run/browser.ts';
import type { ServiceUnderTest } from '../local-run/local-service.ts';
import { sharedService } from '../local-run/shared-service.ts';
import { startUnreliableProxy } from '../stand-ins/unreliable-proxy.ts';
import { isLongRun } from '../vitest/amount.ts';

interface Step {
  readonly run: string;
  readonly shell: string;
  readonly env?: Readonly<Record<string, string>>;
}
const action: { inputs: Record<string, object>; outputs: Record<string, object>; runs: { steps: Step[] } } = parse(
  readFileSync(join(ROOT, 'action.yml'), 'utf8'),
);
const [install, job] = action.runs.steps as [Step, Step];
const temp = mkdtempSync(join(tmpdir(), 'promptq-action-'));
let service: ServiceUnderTest;

beforeAll(async () => {
  service = await sharedService();
  expect((await runStep(install, {})).code).toBe(0);
}, 180_000);
afterAll(async () => {
  rmSync(temp, { recursive: true, force: true });
});

/** Runs a step as a runner does: inputs in place of expressions in its environment, and files for what it reports. */
async function runStep({ run, env = {} }: Step, inputs: Readonly<Record<string, string>>) {
  const [outputs, summary] = [join(temp, 'outputs'), join(temp, 'summary')];
  for (const file of [outputs, summary]) writeFileSync(file, '');
  const given = Object.entries(env).map(([name, value]) => [
    name,
    value.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => inputs[input] ?? ''),
  ]);
  const child = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', run], {
    cwd: temp,
    env: {
      PATH: process.env.PATH,
      HOME: temp,
      RUNNER_TEMP: temp,
      GITHUB_ACTION_PATH: ROOT.replace(/\/$/, ''),
      GITHUB_OUTPUT: outputs,
      GITHUB_STEP_SUMMARY: summary,
      ...Object.fromEntries(given),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [code, log, errors] = await Promise.all([
    new Promise<number | null>((resolve) => child.on('close', resolve)),
    text(child.stdout),
    text(child.stderr),
  ]);
  const set = readFileSync(outputs, 'utf8').matchAll(/^([\w-]+)<<(.+)\n([\s\S]*?)\n\2\n/gm);
  return {
    code,
    log,
    errors,
    outputs: Object.fromEntries([...set].map(([, name, , value]) => [name, value])),
    summary: readFileSync(summary, 'utf8'),
  };
}
const runJob = async (inputs: Readonly<Record<string, string>>) =>
  await runStep(job, { url: service.baseUrl, token: service.token, ...inputs });

test('no script contains an expression, and every input reaches the step through its environment', () => {
  for (const { run, shell } of action.runs.steps) expect([shell, run.includes('${{')]).toEqual(['bash', false]);
  const used = Object.values(job.env ?? {}).map((value) => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1]);
  expect(used.toSorted()).toEqual(Object.keys(action.inputs).toSorted());
});

test('a job that succeeds: outputs, summary and exit code 0; with the same key, a step waits for the same job', async () => {
  const step = { prompt: 'Say hello', 'idempotency-key': 'twice', 'wait-timeout': '120' };
  const { code, outputs, summary, log, errors } = await runJob(step);
  expect(code).toBe(0);
  const { json } = await service.api('GET', `/jobs/${outputs['job-id']}/result`);
  expect(outputs).toMatchObject({ 'job-id': json.id, status: 'SUCCEEDED' });
  expect(Object.keys(outputs).toSorted()).toEqual(Object.keys(action.outputs).toSorted());
  expect(summary).toContain(`[${json.id}](${outputs.url})`);
  expect(summary).toContain(`${json.usage.input_tokens} in, ${json.usage.output_tokens} out`);
  expect(summary).toContain(json.final_message);
  expect(log).toMatch(/^::add-mask::\S+\n::stop-commands::(\S+)\n::\1::\n$/);
  expect(`${log.replace(/.*\n/, '')}${errors}${summary}`).not.toContain(service.token);

  const path = `/jobs/${json.id}`;
  expect((await service.api('POST', `${path}/retry`, {})).status).toBe(200);
  const second = await runJob(step);
  expect([second.code, second.outputs]).toEqual([0, outputs]);
  const { total_usage: total, usage } = (await service.api('GET', path)).json;
  expect(total.input_tokens).toBeGreaterThan(usage.input_tokens);
  expect(second.summary).toContain(`${total.input_tokens} in, ${total.output_tokens} out`);
});

test('a job of a file that fails ends the step with 1 and still reports, without reading all of its output', async () => {
  const proxy = await startUnreliableProxy(service.baseUrl, {});
  writeFileSync(join(temp, 'prompt.sh'), 'exit 3');
  const failed = await runJob({ url: proxy.url, 'prompt-file': 'prompt.sh', profile: 'shell', project: 'ci' });
  await proxy.stop();
  expect([failed.code, failed.outputs.status]).toEqual([1, 'FAILED']);
  expect(failed.summary).toContain('| exit code | 3 |');
  expect(proxy.requests.filter((request) => request.includes('/result'))).toEqual([
    `GET /api/v1/jobs/${failed.outputs['job-id']}/result`,
  ]);
});

test('a token that could not wait for the job, or read its result, creates none', async () => {
  const admin = await signedInBrowser(service, 'admin');
  const { token } = (await admin.api('POST', '/tokens', { name: 'ci', scopes: ['write', 'read'] })).json;
  const { code, outputs, errors } = await runJob({ token, prompt: 'true', profile: 'shell', project: 'forbidden' });
  expect([code, outputs, errors]).toEqual([5, {}, 'the token lacks the scope logs; nothing was created\n']);
  expect((await service.api('GET', '/jobs?project=forbidden')).json.total).toBe(0);
});

test.runIf(isLongRun)('an address that is no service creates nothing, and the step ends with 6', async () => {
  const page = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>Hello'));
  await once(page.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
  const { code, outputs, errors } = await runJob({ url, prompt: 'true', profile: 'shell' });
  page.close();
  expect([code, outputs]).toEqual([6, {}]);
  expect(errors).toBe('the address answers, but is not that of a Promptq service; nothing was created\n');
});

test.runIf(isLongRun)('a job that continues ends the step with 7', async () => {
  const waiting = await runJob({ prompt: 'sleep 60', profile: 'shell', 'wait-timeout': '1' });
  expect(waiting.code).toBe(7);
  expect((await service.api('POST', `/jobs/${waiting.outputs['job-id']}/kill`, {})).status).toBeLessThan(300);
});

test('a hostile prompt reaches the job unchanged, and the shell of the runner runs none of it', async () => {
  const prompt = `: it"s '$(touch ${temp}/ran)' \`touch ${temp}/ran\`; \\ \${{ inputs.token }}\n::error::no\nEOF\n--json`;
  const { outputs } = await runJob({ prompt, profile: 'no-such' });
  expect(outputs).toEqual({});
  const made = await runJob({ prompt: `cat <<'END' >&2\n${prompt}\nEND\n`, profile: 'shell' });
  expect(made.code).toBe(0);
  const { json } = await service.api('GET', `/jobs/${made.outputs['job-id']}`);
  expect(json.prompt).toBe(`cat <<'END' >&2\n${prompt}\nEND\n`);
  expect(() => readFileSync(join(temp, 'ran'))).toThrow('ENOENT');
});

test('the prompt comes from one place', async () => {
  expect((await runJob({ 'prompt-file': 'prompt.sh', prompt: 'true' })).code).toBe(2);
});

test('docs/guide/github-action.md gives inputs that exist, and names them and the outputs all', () => {
  const { fences, text: guide } = documentAt('docs/guide/github-action.md');
  const workflow = parse(fences.find(({ language }) => language === 'yaml')?.text ?? '');
  const { with: given } = workflow.jobs.review.steps.find(({ id }: { id: string }) => id === 'promptq');
  expect(Object.keys(given).filter((name) => !(name in action.inputs))).toEqual([]);
  for (const name of Object.keys({ ...action.inputs, ...action.outputs })) expect(guide).toContain(`\`${name}\``);
});
