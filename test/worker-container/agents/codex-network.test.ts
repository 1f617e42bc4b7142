import { expect, onTestFinished, test } from 'vitest';
import { startPracticeVendor } from '../../../lib/local/practice-vendor/practice-vendor.ts';
import { codex } from '../../../worker-container/agents/codex.ts';
import { startRefusingProxy } from './refusing-proxy.ts';
import { runAgent, startAgent } from './run-agent.ts';

test('with a vendor of its own codex connects to no other host', async () => {
  const proxy = await startRefusingProxy();
  const vendor = await startPracticeVendor();
  onTestFinished(() => vendor.close());
  const end = await runAgent(codex, { vendor, prompt: 'hello', env: proxy.env });
  expect(end.exitCode).toBe(0);
  expect(proxy.asked).toEqual([]);
});

test("without one it connects to codex's own vendor and to no other host", async () => {
  const proxy = await startRefusingProxy();
  const run = await startAgent(codex, { prompt: 'hello', env: proxy.env });
  await proxy.firstAsked;
  run.child.kill('SIGKILL');
  await run.ended;
  for (const asked of proxy.asked) expect(asked).toMatch(/^CONNECT (api\.openai\.com|chatgpt\.com):443 /);
});
