import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AGENT_DEFINITIONS } from '../../lib/contract/agents.ts';
import { claude } from '../../worker-container/agents/claude.ts';
import { claudeRuns } from '../worker-container/agents/claude-runs.ts';
import { runAgent } from '../worker-container/agents/run-agent.ts';

// What only a new version of the CLI changes. Each start of it costs a second or more.
const { run } = claudeRuns();

test.for(['auto', 'exec'] as const)('the longest prompt is read completely (drive: %s)', async (drive) => {
  const longest = '😀'.repeat(AGENT_DEFINITIONS.claude.maxPromptLength);
  const { facts, stdout } = await runAgent(claude, run({ prompt: longest, drive }));
  expect(facts.error).toBe('Prompt is too long');
  if (drive === 'auto') expect(stdout.includes(JSON.stringify(longest))).toBe(true);
});

test('a longer prompt is rejected with a reason', async () => {
  const prompt = `${'😀'.repeat(AGENT_DEFINITIONS.claude.maxPromptLength)}!`;
  const streamed = await runAgent(claude, run({ prompt }));
  expect(streamed).toMatchObject({ exitCode: 1, facts: { finished: true, error: 'Prompt is too long' } });
  const piped = await runAgent(claude, run({ prompt, drive: 'exec' }));
  expect(piped.facts.error).toContain('stdin input exceeds 10MB');
});

test('a sandbox that the machine does not have is an error that names what is missing', async () => {
  const bin = await mkdtemp(join(tmpdir(), 'promptq-bin-'));
  onTestFinished(() => rm(bin, { recursive: true, force: true }));
  for (const name of ['bash', 'sh', 'cat']) await symlink(`/bin/${name}`, join(bin, name));
  const prompt = 'drill: tool echo written > here.txt';
  const end = await runAgent(claude, run({ prompt, sandbox: 'workspace-write', env: { PATH: bin } }));
  expect(end).toMatchObject({
    exitCode: 1,
    facts: { error: expect.stringMatching(/^Sandbox required but .*bubblewrap/) },
  });
});
