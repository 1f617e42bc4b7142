import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { claude } from '../../../worker-container/agents/claude.ts';
import { claudeCli, INSTALL_LIMIT } from './claude-cli.ts';
import { startPracticeMessages } from './practice-messages.ts';
import { startRefusingProxy } from './refusing-proxy.ts';
import { runAgent, startAgent } from './run-agent.ts';

let PROMPTQ_CLAUDE_BIN: string;
beforeAll(async () => {
  PROMPTQ_CLAUDE_BIN = await claudeCli();
}, INSTALL_LIMIT);

test('with a vendor of its own claude connects to no other host', async () => {
  const proxy = await startRefusingProxy();
  const vendor = await startPracticeMessages();
  onTestFinished(() => vendor.close());
  const end = await runAgent(claude, { vendor, prompt: 'hello', env: { PROMPTQ_CLAUDE_BIN, ...proxy.env } });
  expect(end.exitCode).toBe(0);
  expect(proxy.asked).toEqual([]);
});

test("without one it connects to claude's own vendor and to no other host", async () => {
  const proxy = await startRefusingProxy();
  const env = { PROMPTQ_CLAUDE_BIN, ...proxy.env, ANTHROPIC_API_KEY: 'no-real-key' };
  const run = await startAgent(claude, { prompt: 'hello', env });
  await proxy.firstAsked;
  run.child.kill('SIGKILL');
  await run.ended;
  for (const asked of proxy.asked) expect(asked).toMatch(/^CONNECT api\.anthropic\.com:443 /);
});
