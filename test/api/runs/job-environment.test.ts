import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnService, startService } from '../../local-run/local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

/** What npm puts in front of the PATH, and what the user had. */
const ADDED = '/clone/node_modules/.bin:/node_modules/.bin:/npm/run-script/lib/node-gyp-bin';
const OWN = `/mine/bin:${process.env.PATH}:/mine/node_modules/.bin`;
const GIVEN = {
  ...{ HTTPS_PROXY: 'http://me:opensesame@127.0.0.1:9', NO_PROXY: 'example.com', SSL_CERT_FILE: '/certs.pem' },
  ...{ NODE_EXTRA_CA_CERTS: '/dev/null', TZ: 'Asia/Tokyo', USER: 'me', LC_TIME: 'C' },
};

let service: OwnService;
beforeAll(async () => {
  service = await startService({
    env: { ...GIVEN, PATH: `${ADDED}:${OWN}`, npm_config_user_agent: 'npm/11', npm_package_name: 'promptq' },
  });
  await writeFile(join(service.home, 'secrets.env'), 'DB=hidden-value\nREGISTRY=passed-value\n', { mode: 0o600 });
  const env = {
    ...{ TOKENIZERS_PARALLELISM: 'false', MY_KEY: 'plain', DB: { secret: 'DB' } },
    NPM_TOKEN: { secret: 'REGISTRY', commands: true },
  };
  const profiles = [
    { name: 'agent', agent: 'codex', vendor: 'practice', env },
    { name: 'script', agent: 'shell', env },
  ];
  expect((await service.api('POST', '/config/import', { profiles })).json).toMatchObject({});
});
afterAll(async () => await service.stop());

async function run(body: Record<string, unknown>) {
  const id = await createJob(service, body);
  const { status } = await untilEnded(service, id);
  const [{ json: result }, { json: job }] = await Promise.all([
    service.api('GET', `/jobs/${id}/result`),
    service.api('GET', `/jobs/${id}`),
  ]);
  return { status, stdout: result.stdout as string, error: result.error, warnings: job.warnings };
}

const variablesOf = (text: string) =>
  Object.fromEntries(Array.from(text.matchAll(/^(\w+)=(.*)$/gm), ([, name, value]) => [name, value]));

test("a job has its user's PATH, network, zone and name, its deadline, its temporary folder, and its slot", async () => {
  const { stdout } = await run({ profile: 'script', timeout: 600, prompt: 'env; sleep 1' });
  const { PATH, TMPDIR, PROMPTQ_DEADLINE = '', PROMPTQ_SLOT, PROMPTQ_PORT, ...others } = variablesOf(stdout);
  expect(PATH).toMatch(new RegExp(`^${OWN}:[^:]*/settings/npm/bin$`));
  expect(service.output()).toContain(`Jobs' PATH ${OWN}\n`);
  const spared = 'example.com,127.0.0.1,localhost,::1';
  expect(others).toMatchObject({
    ...{ ...GIVEN, HTTPS_PROXY: 'http://***@127.0.0.1:9', NO_PROXY: spared, no_proxy: spared },
    ...{ DB: '***', NPM_TOKEN: '***', MY_KEY: 'plain' },
  });
  expect(Object.keys(others).filter((name) => name.startsWith('npm_'))).toEqual(['npm_config_userconfig']);
  expect(TMPDIR).toMatch(/\/promptq-[0-9a-f]{8}\/[0-9a-f]{8}$/);
  expect(Math.abs(Date.parse(PROMPTQ_DEADLINE) - Date.now() - 600_000)).toBeLessThan(120_000);
  expect(Number(PROMPTQ_PORT)).toBe(21_000 + Number(PROMPTQ_SLOT) * 20);
});

test("an agent's commands see plain variables, and a secret only if the profile passes it on", async () => {
  const { stdout, warnings } = await run({
    profile: 'agent',
    prompt: 'drill: tool env | grep -E "^(TOKEN|MY_|DB|NPM_TOKEN|PROMPTQ_V)"',
  });
  expect(stdout).toContain('TOKENIZERS_PARALLELISM=false');
  expect(stdout).toContain('MY_KEY=plain');
  expect(stdout).toContain('NPM_TOKEN=***');
  expect(stdout).not.toMatch(/DB=|PROMPTQ_VENDOR_API_KEY=/);
  expect(warnings).toEqual([
    'profile agent: the agent\'s commands don\'t see DB; a secret with "commands": true reaches them',
  ]);
});

test.each([
  ['line ends of Windows', '\uFEFFcd .\r\necho "hi"\r\n', 'hi\n'],
  ['the interpreter that it names', '\n#!/usr/bin/env -S perl -w\r\nprint "perl @ARGV\\n";\r\n', 'perl \n'],
  ['an option of bash', '#!/bin/bash -e\nfalse\necho wrong\n', ''],
])('a script has %s', async (_, prompt, stdout) => {
  expect((await run({ profile: 'script', prompt })).stdout).toBe(stdout);
});

test.each([
  ['#!/usr/bin/python9\n', '"#!/usr/bin/python9", names /usr/bin/python9, which is no program here'],
  ['#!/usr/bin/env nothing9 -x\n', 'names nothing9, which is in no folder of '],
  ['#!python3\n', 'names no program by an absolute path'],
])('a script whose first line is %j is refused', async (prompt, why) => {
  expect(await run({ profile: 'script', prompt })).toMatchObject({
    status: 'FAILED',
    error: expect.stringContaining(why),
  });
});

test('read-only files of a job are removed after its end', async () => {
  const prompt =
    'mkdir -p "$PROMPTQ_ATTACHMENTS/m/n" "$TMPDIR/o"; touch "$PROMPTQ_ATTACHMENTS/m/n/f" "$TMPDIR/o/f"; chmod -R a-w "$PROMPTQ_ATTACHMENTS/m" "$TMPDIR/o"; echo "$TMPDIR"';
  const { stdout } = await run({ profile: 'script', prompt });
  const left = execFileSync('find', [join(service.home, 'worker/attempts'), '-type', 'f'], { encoding: 'utf8' });
  expect([left, stdout]).toEqual(['', expect.stringMatching(/^\/.+\n$/)]);
});
