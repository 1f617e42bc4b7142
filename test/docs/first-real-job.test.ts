import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';

let service: OwnService;

/** As the README starts it, but without a key: nothing must leave this machine. */
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_VENDOR: 'real', OPENAI_API_KEY: '' } });
});

afterAll(async () => {
  await service?.stop();
});

/** The shell blocks of a section. */
function blocks(heading: string): string[] {
  const section =
    readFileSync('README.md', 'utf8')
      .split(/^## /m)
      .find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);
}

test("the README's two blocks start the real vendor's codex, and create a job that waits for an account", async () => {
  const [start, create = ''] = blocks('Your first real job');
  expect(start).toContain('PROMPTQ_VENDOR=real npm start');
  const env = { PATH: process.env.PATH, HOME: service.home };
  // The command ends when a person is needed.
  const { stderr } = await promisify(execFile)('bash', ['-c', `${create}[ $? = 7 ]`], { env });
  const [, id, url] = /^job (job_\w+) (\S+)$/m.exec(stderr) ?? [];
  expect(url).toBe(`${service.baseUrl}/jobs/${id}`);
  await waitFor(
    async () => (await service.api('GET', `/jobs/${id}/status`)).json.state_reason?.code === 'account_required',
  );
  expect((await service.api('GET', `/jobs/${id}`)).json).toMatchObject({ agent: 'codex', profile: 'codex' });
});
