import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BindingWrite } from '../../../../lib/contract/schemas/deploy-binding.ts';
import { BindingSecretStore } from '../../../../lib/deployments/bindings/binding-secrets.ts';
import { DeployBindingStore } from '../../../../lib/deployments/bindings/deploy-binding-store.ts';
import { deleteBinding, writeBinding } from '../../../../lib/deployments/bindings/write-binding.ts';
import { ProjectStore } from '../../../../lib/projects/projects.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../emulated-deployment.ts';
import { repeatingTable } from '../../../repeating-table.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it('a binding whose write is repeated, because its answer was lost, keeps its secret', async () => {
  const { registry, clock } = deployment;
  const repeating = { ...registry, table: repeatingTable(registry.table) };
  const secrets = new BindingSecretStore(registry);
  const projects = new ProjectStore(registry);
  const context = { bindings: new DeployBindingStore(repeating), secrets, projects, clock, commands: true };
  const { view, created } = await writeBinding(
    { ...context, reach: { loopback: false } },
    { binding_mode: 'generic', project: 'app', target_url: 'https://example.com/hook' },
  );
  const [stored] = await deployment.bindings.list('app');
  expect([created, await secrets.get(stored?.secrets[0]?.ref ?? '')]).toEqual([true, view.secret]);
  expect(view.secret).toMatch(/^whsec_/);
});

it('another mode removes the fields of the former one, and the same mode keeps what is not written', async () => {
  const { registry, clock } = deployment;
  const [secrets, projects] = [new BindingSecretStore(registry), new ProjectStore(registry)];
  const context = { bindings: deployment.bindings, secrets, projects, clock, commands: true };
  const write = async (fields: BindingWrite) =>
    (await writeBinding({ ...context, reach: { loopback: false } }, { project: 'modes', name: 'it', ...fields })).view;
  await write({ binding_mode: 'generic', target_url: 'https://example.com/hook' });
  expect(await write({ binding_mode: 'generic' })).toMatchObject({ target_url: 'https://example.com/hook' });
  const changed = await write({ binding_mode: 'custom', command: 'make deploy' });
  expect(changed).toMatchObject({ binding_mode: 'custom', command: 'make deploy' });
  expect(changed.target_url).toBeNull();
});

it('a project may be named twice, but not two projects', async () => {
  const { registry, clock } = deployment;
  const [secrets, projects] = [new BindingSecretStore(registry), new ProjectStore(registry)];
  const context = { bindings: deployment.bindings, secrets, projects, clock, commands: true };
  const write = async (project_id: string, project: string) =>
    await writeBinding(
      { ...context, reach: { loopback: false } },
      { project_id, project, binding_mode: 'generic', target_url: 'https://example.com/hook' },
    );
  expect((await write('twice', 'twice')).view).toMatchObject({ project: 'twice' });
  await expect(write('twice', 'once')).rejects.toThrow('different projects');
});

it('a binding whose deletion is repeated, because its answer was lost, leaves no secret', async () => {
  const { registry, clock } = deployment;
  const [secrets, projects] = [new BindingSecretStore(registry), new ProjectStore(registry)];
  const context = { bindings: deployment.bindings, secrets, projects, clock, commands: true };
  const { view } = await writeBinding(
    { ...context, reach: { loopback: false } },
    { binding_mode: 'generic', project: 'gone', target_url: 'https://example.com/hook' },
  );
  const [stored] = await deployment.bindings.list('gone');
  const ref = stored?.secrets[0]?.ref ?? '';
  expect(await secrets.get(ref)).toBe(view.secret);
  const repeating = new DeployBindingStore({ ...registry, table: repeatingTable(registry.table) });
  expect(await deleteBinding({ bindings: repeating, secrets }, view.id)).toMatchObject({ id: view.id });
  expect(await secrets.get(ref)).toBeUndefined();
  await expect(deleteBinding({ bindings: repeating, secrets }, view.id)).rejects.toThrow('not_found');
});
