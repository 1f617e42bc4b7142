import { afterAll, beforeAll, expect, it } from 'vitest';
import { namedBy, namedSecrets } from '../../../lib/doctor/stores/named-secrets.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it('the secrets that profiles and projects require are found, each once, with what requires it', async () => {
  const { profiles, projects, projectSettings, registry } = deployment;
  const env = { A: { secret: 'ONE' }, B: { secret: 'ONE' }, C: { secret: 'TWO' }, D: 'no secret' };
  await profiles.put({ name: 'agent', agent: 'codex', env });
  for (const name of ['first', 'second', 'without']) await projects.create(name);
  for (const name of ['first', 'second']) await projectSettings.change(name, { secret: 'KEY' });
  const found = await namedSecrets(registry as Parameters<typeof namedSecrets>[0]);
  expect(found.map(({ name, profile }) => `${name} of ${namedBy(profile)}`).toSorted()).toEqual([
    'KEY of a project',
    'ONE of profile agent',
    'TWO of profile agent',
  ]);
});
