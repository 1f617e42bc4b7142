import { expect, it } from 'vitest';
import { catalogProblems } from '../../../lib/catalog/catalog.ts';
import { profileSchema } from '../../../lib/catalog/profiles.ts';
import { accountOf } from '../../../lib/catalog/vendor-account.ts';

const account = (env: Record<string, string | { secret: string }>, agent: 'codex' | 'claude' = 'claude') =>
  accountOf(profileSchema.parse({ name: 'p', agent, env }));

it('profiles share an account if they have the same agent and credentials, in whatever order they name them', () => {
  const ours = { ANTHROPIC_API_KEY: { secret: 'a' }, CLAUDE_CODE_OAUTH_TOKEN: { secret: 'b' } };
  const reversed = { CLAUDE_CODE_OAUTH_TOKEN: { secret: 'b' }, ANTHROPIC_API_KEY: { secret: 'a' } };
  expect(account(reversed)).toBe(account(ours));
  expect(account({ ...ours, LANG: 'C' })).toBe(account(ours));
  expect(account({ ...ours, ANTHROPIC_API_KEY: { secret: 'c' } })).not.toBe(account(ours));
  expect(account({})).not.toBe(account(ours));
  expect(account({}, 'codex')).not.toBe(account({}));
});

it('only profiles whose sandbox is not there are problems, by their place in the document', () => {
  const profile = (name: string, sandbox?: 'none' | 'read-only') => ({ name, agent: 'codex' as const, sandbox });
  const profiles = [profile('a'), profile('b', 'none'), profile('c', 'read-only')];
  expect(catalogProblems({ profiles }, { sandboxes: ['none'] }).map(({ fields }) => fields)).toEqual([
    ['profiles[2].sandbox'],
  ]);
  expect(catalogProblems({ profiles }, { sandboxes: ['none', 'read-only'] })).toEqual([]);
  expect(catalogProblems({}, { sandboxes: [] })).toEqual([]);
});
