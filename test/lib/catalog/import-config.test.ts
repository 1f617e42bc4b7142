import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportConfig, importConfig, removeEntry } from '../../../lib/catalog/catalog.ts';
import { PROFILES, ProfileStore } from '../../../lib/catalog/profiles.ts';
import { RULES } from '../../../lib/catalog/rules.ts';
import { configDocument } from '../../../lib/contract/schemas/config.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const rule = (id: string, text = 'Be brief.') => ({ id, name: `Rule ${id}`, text });
const profile = (name: string, model = 'm-1') => ({ name, agent: 'codex', model });

async function importing(document: unknown, { dryRun = false, registry = deployment.registry } = {}) {
  return await importConfig(registry, configDocument.parse(document), { dryRun, sandboxes: ['none'] });
}

const none = { created: [], updated: [], unchanged: [] };

it('an import says of each entry whether it is new, different or the same', async () => {
  expect(await importing({ rules: [rule('a'), rule('b')], profiles: [profile('p'), profile('q')] })).toEqual({
    dry_run: false,
    rules: { created: ['a', 'b'], updated: [], unchanged: [] },
    profiles: { created: ['p', 'q'], updated: [], unchanged: [] },
    templates: none,
  });
  const next = { rules: [rule('a'), rule('b', 'Be long.'), rule('c')], profiles: [profile('p', 'm-2'), profile('q')] };
  const expected = {
    rules: { created: ['c'], updated: ['b'], unchanged: ['a'] },
    profiles: { created: [], updated: ['p'], unchanged: ['q'] },
    templates: none,
  };
  expect(await importing(next, { dryRun: true })).toEqual({ dry_run: true, ...expected });
  const { rules } = await exportConfig(deployment.registry);
  expect(rules?.map(({ id, text }) => [id, text])).toEqual([
    ['a', 'Be brief.'],
    ['b', 'Be brief.'],
  ]);
  expect(await importing(next)).toEqual({ dry_run: false, ...expected });
});

it('an imported profile replaces one of the deployment, which applies again when it is removed', async () => {
  const profiles = new ProfileStore(deployment.registry);
  await profiles.seed({ name: 'seeded', agent: 'shell' });
  expect((await importing({ profiles: [profile('seeded')] })).profiles.updated).toEqual(['seeded']);
  // What the deployment brings changes meanwhile.
  await profiles.seed({ name: 'seeded', agent: 'claude' });
  expect(await profiles.get('seeded')).toMatchObject({ agent: 'codex', model: 'm-1' });
  await importing({ profiles: [profile('seeded', 'm-2')] });
  const removal = { defaultProfile: 'practice' };
  expect(await removeEntry(deployment.registry, PROFILES, 'seeded', removal)).toMatchObject({
    profile: { model: 'm-2' },
  });
  expect(await profiles.get('seeded')).toMatchObject({ agent: 'claude' });
  await expect(removeEntry(deployment.registry, PROFILES, 'seeded', removal)).rejects.toThrow('is built in');
});

it('what is not there cannot be removed, and what is built in neither', async () => {
  const { registry } = deployment;
  const gone = async (name: string) => await removeEntry(registry, PROFILES, name, { defaultProfile: 'practice' });
  await expect(removeEntry(registry, RULES, 'none', { defaultProfile: 'codex' })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(gone('none')).rejects.toMatchObject({ code: 'not_found' });
  await expect(gone('claude')).rejects.toMatchObject({ code: 'invalid_state' });
  await importing({ rules: [rule('removed')], profiles: [profile('removed')] });
  expect(await removeEntry(registry, RULES, 'removed', { defaultProfile: 'codex' })).toMatchObject(rule('removed'));
  expect(await gone('removed')).toMatchObject({ source: 'imported' });
  await expect(removeEntry(registry, RULES, 'removed', { defaultProfile: 'codex' })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(gone('removed')).rejects.toMatchObject({ code: 'not_found' });
});
