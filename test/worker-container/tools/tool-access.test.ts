import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { claude } from '../../../worker-container/agents/claude.ts';
import { codex } from '../../../worker-container/agents/codex.ts';
import { makeAttempt } from '../agents/run-agent.ts';

const TOOLS = { url: 'http://127.0.0.1:4711/mcp', key: 'k'.repeat(43) };

/** The longest that an operator can make agents wait for an answer, by `lib/platform/config/worker-env.ts`. */
const LONGEST_WAIT_SECONDS = 90;

/** The seconds after which each CLI gives a call up, by its configuration. */
const AGENTS = [
  {
    agent: codex,
    file: /config\.toml$/,
    seconds: (text: string) => Number(/^tool_timeout_sec = (\d+)$/m.exec(text)?.[1]),
  },
  {
    agent: claude,
    file: /tools\.json$/,
    seconds: (text: string) => JSON.parse(text).mcpServers.promptq.timeout / 1000,
  },
];

test.for(AGENTS)(
  '$agent.name has the key of its tools in one private file, and waits longer than any of them',
  async ({ agent, file, seconds }) => {
    // Any executable will do: it is not started.
    const env = { PROMPTQ_CLAUDE_BIN: process.execPath };
    const attempt = await makeAttempt({ tools: TOOLS, env });
    const { args, env: given, stdin, command } = await agent.prepare(attempt);
    expect(JSON.stringify([command, args, given, stdin])).not.toContain(TOOLS.key);
    const found: string[] = [];
    for (const entry of await readdir(attempt.attemptDir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && (await readFile(path, 'utf8')).includes(TOOLS.key)) found.push(path);
    }
    expect(found).toEqual([expect.stringMatching(file)]);
    const [path = ''] = found;
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    // The call of a question is answered before the CLI gives it up.
    expect(LIMITS.questions.waitSeconds).toBeLessThanOrEqual(LONGEST_WAIT_SECONDS);
    expect(seconds(await readFile(path, 'utf8'))).toBeGreaterThan(LONGEST_WAIT_SECONDS);
  },
);

test.for(AGENTS)('$agent.name gets no server of tools if its attempt has none', async ({ agent, file }) => {
  const attempt = await makeAttempt({ env: { PROMPTQ_CLAUDE_BIN: process.execPath } });
  const { args } = await agent.prepare(attempt);
  expect(args.filter((arg) => arg.includes('mcp-config='))).toEqual([]);
  for (const name of await readdir(attempt.attemptDir, { recursive: true }))
    if (file.test(name)) expect(await readFile(join(attempt.attemptDir, name), 'utf8')).not.toContain('mcp');
});
