import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importConfig, removeEntry } from '../../../lib/catalog/catalog.ts';
import { PROFILES, ProfileStore } from '../../../lib/catalog/profiles.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { configDocument } from '../../../lib/contract/schemas/config.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

const { catalog } = LIMITS;

/** One registry for all: what is full stays so. */
let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

async function importAll(list: 'profiles' | 'rules', entries: readonly string[]) {
  for (let at = 0; at < entries.length; at += catalog.changes) {
    const part = entries.slice(at, at + catalog.changes);
    const document =
      list === 'rules'
        ? { rules: part.map((id) => ({ id, text: 'a rule' })) }
        : { profiles: part.map((name) => ({ name, agent: 'shell' })) };
    await importConfig(deployment.registry, configDocument.parse(document), { dryRun: false, sandboxes: ['none'] });
  }
}

const full = (list: 'profiles' | 'rules') => ({
  name: 'InvalidFieldError',
  message: `${list}: there would be ${catalog[list] + 1} imported ones; at most ${catalog[list]} are allowed`,
});

describe('profiles', () => {
  beforeAll(async () => {
    await new ProfileStore(deployment.registry).seed({ name: 'seeded', agent: 'shell' });
    await importAll('profiles', names(catalog.profiles - 1, 'p'));
  });

  it('can be imported up to the limit, for which one that replaces a seeded one counts', async () => {
    await importAll('profiles', ['seeded']);
    await expect(importAll('profiles', ['one-more'])).rejects.toMatchObject(full('profiles'));
  });

  it('can be removed except the default one of jobs, unless it only replaces one of the deployment', async () => {
    const removal = async (name: string) =>
      await removeEntry(deployment.registry, PROFILES, name, { defaultProfile: name });
    await expect(removal('p1')).rejects.toThrow("the deployment's default");
    await expect(removal('seeded')).resolves.toMatchObject({ source: 'imported' });
    await importAll('profiles', ['seeded']);
  });
});
