import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeCatalog, importConfig, removeEntry } from '../../../lib/catalog/catalog.ts';
import { PROFILES } from '../../../lib/catalog/profiles.ts';
import { configDocument } from '../../../lib/contract/schemas/config.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it('a change that others overtake judges again each time, and gives up in the end', async () => {
  const { registry } = deployment;
  const write = { items: [], added: {} };
  const other = async () => await changeCatalog(registry, async () => ({ answer: undefined, write }));
  const versions: number[] = [];
  const overtaken = async (times: number) =>
    await changeCatalog(registry, async ({ version }) => {
      versions.push(version);
      if (versions.length <= times) await other();
      return { answer: 'changed', write };
    });
  await other();
  expect(await overtaken(4)).toBe('changed');
  expect(versions.splice(0)).toHaveLength(5);
  await expect(overtaken(Number.POSITIVE_INFINITY)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 });
});

it('the default profile of jobs can be removed if a built-in one has its name', async () => {
  const { registry } = deployment;
  const names = ['claude', 'own'];
  const document = configDocument.parse({ profiles: names.map((name) => ({ name, agent: 'shell' })) });
  await importConfig(registry, document, { dryRun: false, sandboxes: ['none'] });
  const removed = async (name: string) => await removeEntry(registry, PROFILES, name, { defaultProfile: name });
  expect(await removed('claude')).toMatchObject({ source: 'imported' });
  await expect(removed('own')).rejects.toThrow("the deployment's default");
});
