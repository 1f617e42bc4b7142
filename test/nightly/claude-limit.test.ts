import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob, untilEnded } from '../api/job-client.ts';
import { answeredCalls } from '../api/practice-calls.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';
import { claudeCli, INSTALL_LIMIT } from '../worker-container/agents/claude-cli.ts';
import { fileAppears } from '../worker-container/agents/run-agent.ts';

/** What claude continues after its usage limit. On each commit the same is tried with codex, without messages. */
let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_CLAUDE_BIN: await claudeCli(), PROMPTQ_WATCH_SECONDS: '2' } });
  const { practice_url, practice_key } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
  await writeFile(join(service.home, 'secrets.env'), `PRACTICE_KEY=${practice_key}\n`, { mode: 0o600 });
  const env = {
    ANTHROPIC_BASE_URL: new URL(practice_url).origin,
    CLAUDE_CODE_OAUTH_TOKEN: { secret: 'PRACTICE_KEY' },
    CLAUDE_CODE_MAX_RETRIES: '1',
  };
  const profiles = [{ name: 'practised', agent: 'claude', env }];
  expect((await service.api('POST', '/config/import', { profiles })).status).toBe(200);
}, INSTALL_LIMIT);
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const start = async (prompt: string) => await createJob(service, { prompt, profile: 'practised' });
const resultOf = async (id: string, query = '') => (await service.api('GET', `/jobs/${id}/result${query}`)).json;
const messagesOf = async (id: string) => (await service.api('GET', `/jobs/${id}/messages`)).json.items;

async function say(id: string, text: string): Promise<string> {
  const { status, json } = await service.api('POST', `/jobs/${id}/messages`, { text });
  expect(status).toBe(202);
  return json.id;
}

test('a job that met the usage limit makes no model call again', async () => {
  const prompt = 'for claude\ndrill: limit-after 3 3';
  const id = await start(prompt);
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  expect((await answeredCalls(service.home, prompt)).map(({ results }) => results)).toEqual([0, 1, 2, 3]);
  const [before, after] = [(await resultOf(id, '?attempt=1')).usage, (await resultOf(id, '?attempt=2')).usage];
  expect(after.output_tokens).toBeLessThan(before.output_tokens);
  expect(after.cost_usd).toBeLessThan(before.cost_usd);
});

test('an interrupted attempt has the messages in its session, and the next one does not get them again', async () => {
  const wait = 'drill: tool touch up; while [ ! -e go ]; do sleep 0.05; done';
  const id = await start(`${wait}\ndrill: limit-after 1 3\ndrill: recall`);
  const folder = join(service.home, 'workspaces', 'local_project', id, 'work');
  await fileAppears(join(folder, 'up'));
  const first = await say(id, 'count to three');
  // claude reports how many it has queued, the first of which is the prompt.
  await waitFor(async () => {
    const { stdout } = (await service.api('GET', `/jobs/${id}/logs?stream=stdout`)).json;
    return stdout.split('"state":"queued"').length > 2;
  });
  await writeFile(join(folder, 'go'), '');
  await waitFor(async () => (await service.api('GET', `/jobs/${id}`)).json.state_reason.code === 'usage_limit');
  const second = await say(id, 'and to four');
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  const recalled = (await resultOf(id)).final_message;
  for (const message of [first, second]) expect(recalled.split(`Message ${message}`)).toHaveLength(2);
  expect(await messagesOf(id)).toMatchObject([
    { status: 'delivered', attempt: 1 },
    { status: 'delivered', attempt: 2 },
  ]);
});
