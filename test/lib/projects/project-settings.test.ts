import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProjectSettingsStore, readSettingsItem } from '../../../lib/projects/project-settings.ts';
import { ProjectStore } from '../../../lib/projects/projects.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it('keeps each of several settings that are changed at once', async () => {
  const { registry, projectSettings } = deployment;
  const { id } = await new ProjectStore(registry).resolve('changed at once');
  const edits = [
    { repository: 'https://git.example.com/app' },
    { ref: 'main' },
    { setup: 'npm ci' },
    { secret: 'DEPLOY_KEY' },
    { exclusive_cwd: true },
  ];
  await Promise.all(edits.map(async (edit) => await projectSettings.change(id, edit)));
  expect(await projectSettings.get(id)).toEqual(Object.assign({}, ...edits));
});

it('settings are read as they were written last, though an eventually consistent read does not show them yet', async () => {
  const { registry } = deployment;
  const { id } = await new ProjectStore(registry).resolve('read at once');
  const send = async (command: GetCommand) =>
    command instanceof GetCommand && command.input.ConsistentRead !== true ? {} : await registry.table.send(command);
  const settings = new ProjectSettingsStore({
    ...registry,
    table: { ...registry.table, send } as typeof registry.table,
  });
  expect(await settings.change(id, { ref: 'main' })).toEqual({ ref: 'main' });
  expect(await settings.get(id)).toEqual({ ref: 'main' });
});

it('an empty text removes a setting, and the others stay', async () => {
  const { registry, projectSettings } = deployment;
  const { id } = await new ProjectStore(registry).resolve('emptied');
  await projectSettings.change(id, { ref: 'main', setup: 'npm ci' });
  expect(await projectSettings.change(id, { ref: '' })).toEqual({ setup: 'npm ci' });
  expect(await projectSettings.get(id)).toEqual({ setup: 'npm ci' });
});

it('a project that is removed while its settings are changed stays removed', async () => {
  const { registry } = deployment;
  const { id } = await new ProjectStore(registry).resolve('removed meanwhile');
  const Key = { kind: 'project', id };
  const table = {
    ...registry.table,
    send: async (command: GetCommand) => {
      const answer = await registry.table.send(command);
      if (command instanceof GetCommand)
        await registry.table.send(new DeleteCommand({ TableName: registry.registryTable, Key }));
      return answer;
    },
  };
  const settings = new ProjectSettingsStore({ ...registry, table: table as typeof registry.table });
  await expect(settings.change(id, { ref: 'main' })).rejects.toMatchObject({ code: 'not_found' });
  const { Item } = await registry.table.send(new GetCommand({ TableName: registry.registryTable, Key }));
  expect(Item).toBeUndefined();
});

it('a project that is removed before its settings are changed is not found', async () => {
  const change = deployment.projectSettings.change('removed', { ref: 'main' });
  await expect(change).rejects.toMatchObject({ code: 'not_found' });
});

it('an item that is absent or was stored without settings has none', () => {
  expect([readSettingsItem(undefined), readSettingsItem({ id: 'app' })]).toEqual([{}, {}]);
});

it('settings that cannot be written are an error', async () => {
  const { registry } = deployment;
  const { id } = await new ProjectStore(registry).resolve('out of reach');
  const error = new Error('out of reach');
  const send = async (command: GetCommand) => {
    if (!(command instanceof GetCommand)) throw error;
    return await registry.table.send(command);
  };
  const table = { ...registry.table, send } as typeof registry.table;
  await expect(new ProjectSettingsStore({ ...registry, table }).change(id, { ref: 'main' })).rejects.toBe(error);
});
