import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeCatalog } from '../../../lib/catalog/catalog-state.ts';
import { importConfig } from '../../../lib/catalog/import-config.ts';
import { removeProfile } from '../../../lib/catalog/remove-entry.ts';
import { configDocument } from '../../../lib/contract/schemas/config.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it('a change right after another is made at once, though an eventually consistent read does not show that yet', async () => {
  const { registry } = deployment;
  const send = async (command: GetCommand) =>
    command instanceof GetCommand && command.input.ConsistentRead !== true ? {} : await registry.table.send(command);
  const lagging = { ...registry, table: { send } as unknown as DynamoDBDocumentClient };
  const seen: number[] = [];
  const change = async () =>
    await changeCatalog(lagging, async ({ version }) => {
      seen.push(version);
      return { answer: version, write: { items: [], next: { rules: 0, profiles: 0 } } };
    });
  expect([await change(), await change()]).toEqual([0, 1]);
  expect(seen).toEqual([0, 1]);
});

it('the default profile of jobs can be removed if a built-in one has its name', async () => {
  const { registry } = deployment;
  const names = ['claude', 'own'];
  const document = configDocument.parse({ profiles: names.map((name) => ({ name, agent: 'shell' })) });
  await importConfig(registry, document, { dryRun: false, sandboxes: ['none'] });
  const removed = async (name: string) => await removeProfile(registry, name, { defaultProfile: name });
  expect(await removed('claude')).toMatchObject({ source: 'imported' });
  await expect(removed('own')).rejects.toThrow("the deployment's default");
});
