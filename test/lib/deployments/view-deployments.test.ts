import { afterAll, beforeAll, expect, it } from 'vitest';
import { viewBinding } from '../../../lib/deployments/bindings/deploy-binding.ts';
import { viewDeployments } from '../../../lib/deployments/view-deployments.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const AT = '2026-11-20T10:41:00.000Z';

/** A binding as an earlier version stored it. */
async function stored(open_url: string) {
  const id = `somewhere.${Buffer.from(open_url).toString('hex')}`;
  const named = { id, project_id: 'somewhere', project: 'evil.example', name: id };
  const binding = { ...named, binding_mode: 'hosted_editor' as const, open_url, secrets: [] };
  const written = await deployment.bindings.replace(undefined, { ...binding, created_at: AT, updated_at: AT });
  if (written === undefined) throw new Error('it was there already');
  return written;
}

it('a stored editor link whose host a project chooses is neither ready nor shown', async () => {
  const unsafe = await Promise.all(['HTTPS://{project}/', 'https:{project}', 'vscode://{project}/x'].map(stored));
  await stored('https://editor.example/{project}');
  for (const binding of unsafe)
    expect(viewBinding(binding)).toMatchObject({
      ready: false,
      disabled_reason: 'open_url has a placeholder in its scheme, user, host or port',
    });
  const folders = { workspaces: '/workspaces', roots: [] };
  const job = await deployment.store({ id: 'job_linked', project_id: 'somewhere', project: 'evil.example' });
  const links = (await viewDeployments({ ...deployment, folders }, job)).map(({ open_url }) => open_url);
  expect(links).toEqual(['https://editor.example/evil.example']);
});
