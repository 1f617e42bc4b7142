import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PracticeVendor, startPracticeVendor } from '../../../../lib/local/practice-vendor/practice-vendor.ts';
import { claude } from '../../../../worker-container/agents/claude.ts';
import { codex } from '../../../../worker-container/agents/codex.ts';
import { amount } from '../../../vitest/amount.ts';
import { claudeCli, INSTALL_LIMIT } from '../../../worker-container/agents/claude-cli.ts';
import { runAgent, startAgent } from '../../../worker-container/agents/run-agent.ts';
import { requests } from './model-client.ts';

let vendor: PracticeVendor;
let claudeBinary: string;
beforeAll(async () => {
  [vendor, claudeBinary] = await Promise.all([startPracticeVendor(), claudeCli()]);
}, INSTALL_LIMIT);
afterAll(() => vendor.close());

const agents = [
  { agent: codex, env: () => ({}) },
  { agent: claude, env: () => ({ PROMPTQ_CLAUDE_BIN: claudeBinary, CLAUDE_CODE_MAX_RETRIES: '1' }) },
];

/** Requests with the turn's prompt. */
async function requestsOf(prompt: string) {
  return (await requests(vendor)).filter((entry) => entry.prompt === prompt);
}

for (const { agent, env } of agents) {
  const { name } = agent;

  test(`${name}: "calls" makes one request for each call and one for the end, and "json" is the final message`, async () => {
    const text = '{"answer": [1, "ä"]}';
    const prompt = `for ${name}\ndrill: calls 3\ndrill: json ${text}`;
    const { facts } = await runAgent(agent, { vendor, prompt, env: env() });
    expect(facts.finalMessage).toBe(text);
    const made = await requestsOf(prompt);
    expect(made.map(({ results }) => results)).toEqual([0, 1, 2, 3]);
    expect(new Set(made.map(({ session }) => session))).toEqual(new Set([facts.sessionId]));
  });
}

// A start of claude costs more than a second: each commit tries one drill with it.
for (const { agent, env } of agents.slice(0, amount(1, 2))) {
  const { name } = agent;

  test(`${name}: the drill "limit-after" meets the usage limit after its calls`, async () => {
    const prompt = `for ${name}\ndrill: limit-after 2 3600`;
    const env_ = env();
    const subscribed = {
      ANTHROPIC_BASE_URL: vendor.baseUrl.replace('/v1', ''),
      CLAUDE_CODE_OAUTH_TOKEN: vendor.apiKey,
    };
    const run = name === 'claude' ? { env: { ...env_, ...subscribed } } : { vendor, env: env_ };
    const { facts } = await runAgent(agent, { ...run, prompt });
    expect(facts.park).toMatchObject({ reason: 'usage_limit', until: expect.any(String) });
    const paid = (await requestsOf(prompt)).filter(({ status }) => status === 200);
    expect(paid.map(({ results }) => results)).toEqual([0, 1]);
  });

  test(`${name}: "wait" runs a tool and then lists the messages of the user, "recall" the prompts`, async () => {
    const { facts } = await runAgent(agent, { vendor, prompt: 'first\ndrill: wait 0.2\ndrill: recall', env: env() });
    const listed = 'first drill: wait 0.2 drill: recall';
    expect(facts.finalMessage).toBe(`The practice vendor waited for 0.2 s. It has read:\n\n${listed}\n\n${listed}`);
  });

  test(`${name}: the drill "spend" reports its tokens for each call`, async () => {
    const { facts } = await runAgent(agent, { vendor, prompt: 'drill: spend 1000 3', env: env() });
    expect(facts.usage).toMatchObject({ input_tokens: 2_970, output_tokens: 30 });
  });

  test(`${name}: the drill "spend" without a number of calls ends only when it is stopped`, async () => {
    const prompt = `for ${name}\ndrill: spend 1000`;
    const { child, ended } = await startAgent(agent, { vendor, prompt, env: env() });
    await expect.poll(async () => (await requestsOf(prompt)).length, { timeout: 20_000 }).toBeGreaterThan(4);
    child.kill(agent.politeSignal);
    expect((await ended).facts.finalMessage).toBeUndefined();
  });
}
