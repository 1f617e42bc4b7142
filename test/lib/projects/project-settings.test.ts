import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProjectSettingsStore } from '../../../lib/projects/project-settings.ts';
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
