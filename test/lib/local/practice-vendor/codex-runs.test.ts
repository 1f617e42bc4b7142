import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type PracticeVendor, startPracticeVendor } from '../../../../lib/local/practice-vendor/practice-vendor.ts';
import { codex } from '../../../../worker-container/agents/codex.ts';
import { fileAppears, runAgent, startAgent } from '../../../worker-container/agents/run-agent.ts';

async function start(): Promise<PracticeVendor> {
  const vendor = await startPracticeVendor();
  onTestFinished(() => vendor.close());
  return vendor;
}

async function setState(vendor: PracticeVendor, state: unknown): Promise<void> {
  const answer = await fetch(new URL('/practice/state', vendor.baseUrl), {
    method: 'PUT',
    headers: { authorization: `Bearer ${vendor.apiKey}` },
    body: JSON.stringify(state),
  });
  expect(answer.status).toBe(200);
}

test('a plain prompt shows thoughts, words and a tool before its end', async () => {
  const { stdout } = await runAgent(codex, { vendor: await start(), drive: 'exec', prompt: 'hello' });
  const kinds = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).item?.type);
  const seen = ['reasoning', 'agent_message', 'command_execution', 'command_execution', 'agent_message'];
  expect(kinds.filter((kind) => kind !== undefined)).toEqual(seen);
});

test('several drills are done in order', async () => {
  const prompt =
    'drill: tool echo 1 >> log\nand then\ndrill: tool echo 2 >> log; cat log\ndrill: flood 1KB\ndrill: follow-up {"prompt":"y"}';
  const { facts } = await runAgent(codex, { vendor: await start(), prompt });
  expect(facts.finalMessage).toMatch(/1\n2\n[\s\S]*1000 bytes[\s\S]*```follow-up-job\n\{"prompt":"y"\}\n```$/);
  expect(facts.usage?.output_tokens).toBeGreaterThan(250);
});

test('a drill that fails after others fails the run', async () => {
  const { facts } = await runAgent(codex, { vendor: await start(), prompt: 'drill: sleep 0.1\ndrill: fail 418' });
  expect(facts.error).toContain('The practice vendor fails as asked (418)');
});

test('a run survives a restart of the vendor', async () => {
  const vendor = await startPracticeVendor();
  const prompt = 'drill: tool touch up; while [ ! -e go ]; do sleep 0.05; done; echo went\ndrill: tool echo on';
  const run = await startAgent(codex, { vendor, prompt });
  await fileAppears(join(run.attempt.cwd, 'up'));
  await vendor.close();
  const again = await startPracticeVendor({ port: Number(new URL(vendor.baseUrl).port), apiKey: vendor.apiKey });
  onTestFinished(() => again.close());
  await writeFile(join(run.attempt.cwd, 'go'), '');
  expect(await run.ended).toMatchObject({
    exitCode: 0,
    facts: { finalMessage: expect.stringMatching(/printed:\n\nwent\n\n.* printed:\n\non$/) },
  });
});

test('jobs wait while the state is set and run once it is cleared', async () => {
  const vendor = await start();
  const until = new Date(Date.now() + 7_200_000).toISOString();
  const prompt = 'drill: tool true';

  await setState(vendor, { usage_limit_until: until });
  const limited = await runAgent(codex, { vendor, prompt });
  expect(limited.facts.park?.reason).toBe('usage_limit');
  expect(limited.facts.park?.until?.slice(0, 16) ?? '').not.toBe('');
  expect(Date.parse(limited.facts.park?.until ?? '')).toBeGreaterThanOrEqual(Date.parse(until));

  await setState(vendor, { usage_limit_until: null, logged_in: false });
  expect((await runAgent(codex, { vendor, prompt })).facts.park).toEqual({ reason: 'account_required' });

  await setState(vendor, { logged_in: true });
  expect((await runAgent(codex, { vendor, prompt })).facts).toMatchObject({
    finished: true,
    finalMessage: expect.any(String),
  });
});
