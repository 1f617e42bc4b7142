import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { changeCatalog } from '../../../lib/catalog/catalog-state.ts';
import { importConfig } from '../../../lib/catalog/import-config.ts';
import { removeProfile } from '../../../lib/catalog/remove-entry.ts';
import { configDocument } from '../../../lib/contract/schemas/config.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

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
  const first = await change();
  expect(await change()).toBe(first + 1);
  expect(seen).toEqual([first, first + 1]);
});

it('a change that others overtake judges again each time, and gives up in the end', async () => {
  const { registry } = deployment;
  const write = { items: [], next: { rules: 0, profiles: 0 } };
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

it('the first change of a deployment is overtaken by another first one as well', async () => {
  const fresh = await emulateDeployment();
  onTestFinished(() => fresh.stop());
  const rounds: number[] = [];
  const write = { items: [], next: { rules: 0, profiles: 0 } };
  await changeCatalog(fresh.registry, async ({ version }) => {
    rounds.push(version);
    if (rounds.length === 1) await changeCatalog(fresh.registry, async () => ({ answer: undefined, write }));
    return { answer: undefined, write };
  });
  expect(rounds).toEqual([0, 1]);
});

it('a change that meets another one at DynamoDB judges again, and any other refusal is an error', async () => {
  const { registry } = deployment;
  const refusing = (Code: string) => {
    const refusals = [
      new TransactionCanceledException({ message: Code, $metadata: {}, CancellationReasons: [{ Code }] }),
    ];
    const send = async (command: GetCommand) => {
      const refusal = command instanceof GetCommand ? undefined : refusals.pop();
      if (refusal !== undefined) throw refusal;
      return await registry.table.send(command);
    };
    return { ...registry, table: { send } as unknown as DynamoDBDocumentClient };
  };
  const changed = async (code: string) =>
    await changeCatalog(refusing(code), async () => ({
      answer: 'changed',
      write: { items: [], next: { rules: 0, profiles: 0 } },
    }));
  expect(await changed('TransactionConflict')).toBe('changed');
  await expect(changed('ValidationError')).rejects.toThrow(TransactionCanceledException);
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
