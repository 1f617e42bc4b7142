import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { BindingSecretStore } from '../../../lib/bindings/binding-secrets.ts';
import { bindingIdOf } from '../../../lib/bindings/deploy-binding-store.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const AT = '2026-11-20T10:00:00.000Z';
const aBinding = (project: string, name: string) => ({
  ...{ id: bindingIdOf(project, name), project_id: project, project, name, binding_mode: 'custom' as const },
  ...{ secrets: [], created_at: AT, updated_at: AT },
});

it('the bindings of a project are those of no other, and every binding is in the list of all', async () => {
  const { bindings } = quietDeployment();
  for (const project of ['app', 'app-2', 'ap']) await bindings.replace(undefined, aBinding(project, 'Live Site'));
  await bindings.replace(undefined, aBinding('app', 'docs'));
  expect((await bindings.list('app')).map(({ id }) => id)).toEqual(['app.docs', bindingIdOf('app', 'Live Site')]);
  expect(await bindings.list()).toHaveLength(4);
  expect(await bindings.list('none')).toEqual([]);
});

it('a binding and its secret are read as just written, although other reads lag behind', async () => {
  const { bindings, registry } = quietDeployment({ lag: 60_000 });
  const secrets = new BindingSecretStore(registry);
  await bindings.replace(undefined, aBinding('app', 'site'));
  expect([await bindings.get('app.site'), ...(await bindings.list('app'))]).toMatchObject([
    { name: 'site', version: 1 },
    { name: 'site', version: 1 },
  ]);
  const [gone, kept] = [await secrets.put('whsec_'), await secrets.put('whsec_')];
  await secrets.delete(gone);
  expect([await secrets.get(gone), await secrets.get(kept)]).toEqual([undefined, 'whsec_']);
});

it('each list is a consistent read that has a value for each of its placeholders', async () => {
  const { bindings, calls } = quietDeployment();
  await bindings.list();
  await bindings.list('app');
  const asked = calls.flatMap((call) => (call instanceof QueryCommand ? [call.input] : []));
  expect(asked.map(({ ConsistentRead }) => ConsistentRead)).toEqual([true, true]);
  for (const { KeyConditionExpression = '', ExpressionAttributeValues = {} } of asked)
    expect(KeyConditionExpression.match(/:\w+/g)).toEqual(Object.keys(ExpressionAttributeValues));
});

it('a binding is written and deleted only as it was read', async () => {
  const { bindings } = quietDeployment();
  const made = await bindings.replace(undefined, aBinding('app', 'site'));
  if (made === undefined) throw new Error('it was there already');
  expect(await bindings.replace(undefined, aBinding('app', 'site'))).toBeUndefined();
  const changed = await bindings.replace(made, { ...made, command: 'make' });
  expect(changed).toMatchObject({ command: 'make', version: 2 });
  expect([await bindings.replace(made, made), await bindings.delete(made)]).toEqual([undefined, false]);
  expect(await bindings.get('app.site')).toEqual(changed);
  if (changed !== undefined) expect([await bindings.delete(changed), await bindings.list()]).toEqual([true, []]);
});
