import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isOlder, sessionOrigin } from '../../../worker-container/agent-sessions/session-origin.ts';
import { AGENTS } from '../../../worker-container/agents/agents.ts';

test('the version of the installed CLI is known without starting it, and no other package takes its place', async () => {
  const { optionalDependencies } = JSON.parse(await readFile('worker-container/vendor-clis/package.json', 'utf8'));
  const pinned = String(optionalDependencies['@openai/codex-linux-x64']).split('@').at(-1)?.split('-')[0];
  expect(await sessionOrigin(AGENTS.codex, {}, undefined)).toEqual({ cli_version: pinned });
  const elsewhere = { PROMPTQ_CODEX_BIN: process.execPath, PROMPTQ_CLAUDE_BIN: '/nowhere' };
  expect(await sessionOrigin(AGENTS.codex, elsewhere, undefined)).toEqual({});
  expect(await sessionOrigin(AGENTS.claude, elsewhere, undefined)).toEqual({});
});

test('accounts and keys differ in their hash, which does not contain them', async () => {
  const none = { PROMPTQ_CODEX_BIN: '/nowhere' };
  const accounts = await Promise.all([
    sessionOrigin(AGENTS.codex, none, 'a@example.com'),
    sessionOrigin(AGENTS.codex, none, 'b@example.com'),
    sessionOrigin(AGENTS.codex, { ...none, CODEX_API_KEY: 'key-of-a' }, undefined),
    sessionOrigin(AGENTS.codex, { ...none, CODEX_API_KEY: 'key-of-a' }, 'a@example.com'),
  ]);
  const [one, two, key, both] = accounts.map(({ account }) => account);
  expect(new Set([one, two, key]).size).toBe(3);
  expect(both).toBe(one);
  for (const account of accounts) expect(JSON.stringify(account)).toMatch(/^\{"account":"[0-9a-f]{16}"\}$/);
});

test.each([
  ['0.99.0', '0.169.0', true],
  ['2.1.328', '2.1.328', false],
  ['2.2.0', '2.1.328', false],
  [undefined, '0.169.0', false],
  ['0.169.0', undefined, false],
])('version %s is older than %s: %s', (version, than, expected) => {
  expect(isOlder(version, than)).toBe(expected);
});
