import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TokenStore } from '../../../../lib/access/tokens/token-store.ts';
import { SCOPES } from '../../../../lib/contract/scopes.ts';
import { applyLocalConfig } from '../../../../lib/local/run/apply-config.ts';
import { Home } from '../../../../lib/local/run/home.ts';
import { localToken } from '../../../../lib/local/run/local-token.ts';
import { seedProfiles } from '../../../../lib/local/run/seed-profiles.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
let folder: string;
beforeAll(async () => {
  deployment = await emulateDeployment();
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterAll(async () => {
  await deployment.stop();
  await rm(folder, { recursive: true });
});

test('a run shows the token of the run before while it has every scope', async () => {
  const home = await Home.open(join(folder, 'home'));
  const tokens = new TokenStore(deployment.registry);
  const first = await localToken(home, tokens);
  expect((await tokens.verify(first))?.scopes.toSorted()).toEqual([...SCOPES].toSorted());
  expect(await localToken(home, tokens)).toBe(first);
  const weak = await tokens.create({ name: 'weak', scopes: ['read'] });
  for (const lost of [weak.token, 'pq_unknown']) {
    await home.writeToken(lost);
    const next = await localToken(home, tokens);
    expect([lost, first]).not.toContain(next);
    expect(await home.readToken()).toBe(next);
  }
});

test('the profiles of a local run are there from the start, and those that were imported stay', async () => {
  const { profiles, registry } = deployment;
  const document = { profiles: [{ name: 'shell', agent: 'codex' as const }] };
  await applyLocalConfig(registry, { path: '/c.yaml', document }, ['none']);
  await profiles.put({ name: 'codex', agent: 'codex', sandbox: 'none' });
  await seedProfiles(profiles);
  const found = await Promise.all(['practice', 'shell', 'codex'].map(async (name) => await profiles.get(name)));
  expect(found).toMatchObject([
    { agent: 'codex', vendor: 'practice' },
    { agent: 'codex' },
    { agent: 'codex', sandbox: 'workspace-write' },
  ]);
});

test('a configuration that changes something is shown with what its profiles run, and again if it changes', async () => {
  const profile = {
    name: 'p',
    agent: 'codex',
    args: ['\u001bü', 'x'.repeat(300)],
    env: { A: 'secret', B: 'b' },
  } as const;
  const apply = async (document: object) =>
    await applyLocalConfig(deployment.registry, { path: '/c.yaml', document: document as never }, ['none']);
  const rules = [{ id: 'r', text: 'Be brief.' }];
  const args = `["\\u001b\\u00fc","${'x'.repeat(300)}`;
  const sentence = `  profile p: agent codex, sandbox none, args ${args.slice(0, 300)}…, env A B`;
  expect(await apply({ rules, profiles: [profile] })).toBe(
    `/c.yaml: 1 rules and 1 profiles are new or different\n${sentence}`,
  );
  expect(await apply({ rules, profiles: [profile] })).toBeUndefined();
  expect(
    await apply({
      profiles: [
        { name: 'p', agent: 'shell', args: [], env: {} },
        { ...profile, name: 'q', env: {} },
      ],
    }),
  ).toBe(
    `/c.yaml: 0 rules and 2 profiles are new or different\n  profile p: agent shell, sandbox none\n${sentence.replace('profile p', 'profile q').replace(', env A B', '')}`,
  );
  expect(await apply({ rules: [{ id: 'r', text: 'Be long.' }] })).toBe(
    '/c.yaml: 1 rules and 0 profiles are new or different',
  );
  await expect(apply({ profiles: [{ ...profile, sandbox: 'read-only' }] })).rejects.toThrow(/^\/c\.yaml: .*read-only/);
});
