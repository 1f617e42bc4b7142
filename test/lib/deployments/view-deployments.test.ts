import { afterAll, beforeAll, expect, it } from 'vitest';
import { viewBinding } from '../../../lib/deployments/bindings/deploy-binding.ts';
import { noteBusyFolder } from '../../../lib/deployments/commands-in-thread.ts';
import { viewDeployment, viewDeployments } from '../../../lib/deployments/view-deployments.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
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

it('only a deployment that is to be tried says when, and why it waits', () => {
  const named = { job_id: 'job_1', binding: 'b', name: 'build', mode: 'custom', attempt: 1 } as const;
  const when = { created_at: AT, due_at: AT, pending_reason: 'folder_busy', attempts: 2 } as const;
  const known = { ...named, ...when, version: 1, change_id: 'c' };
  const waits = { next_attempt_at: AT, pending_reason: 'folder_busy' };
  expect(viewDeployment({ ...known, state: 'pending' })).toMatchObject(waits);
  for (const name of Object.keys(waits)) {
    expect(viewDeployment({ ...known, state: 'succeeded' })).not.toHaveProperty(name);
    expect(viewDeployment({ ...known, state: 'pending', attempts: 0, pending_reason: undefined })).not.toHaveProperty(
      name,
    );
  }
});

it('commands that wait for their thread or folder say so, calls do not', async () => {
  const named = { project_id: 'held', project: 'held', secrets: [], created_at: AT, updated_at: AT };
  const binding = { id: 'held.command', name: 'build', binding_mode: 'custom', command: 'make', ...named } as const;
  const call = {
    id: 'held.call',
    name: 'call',
    binding_mode: 'generic',
    target_url: 'https://x.example/',
    ...named,
  } as const;
  for (const one of [binding, call]) await deployment.bindings.replace(undefined, one);
  const finished_at = '2026-11-20T11:00:00.000Z';
  const ended: Partial<Job> = { status: 'SUCCEEDED', attempt: 1, finished_at, bindings_pending: [1] };
  const job = await deployment.store({ id: 'job_held', project_id: 'held', ...ended });
  const folders = { workspaces: '/workspaces', roots: [] };
  const reasons = async (held: boolean) => {
    const views = await viewDeployments({ ...deployment, folders }, { ...job, ...(held && { commands_held: true }) });
    return Object.fromEntries(views.map(({ name, state, pending_reason }) => [name, [state, pending_reason]]));
  };
  expect(await reasons(false)).toEqual({ build: ['pending', undefined], call: ['pending', undefined] });
  expect(await reasons(true)).toEqual({ build: ['pending', 'thread_busy'], call: ['pending', undefined] });
  const record = await deployment.deployments.replace(undefined, {
    job_id: job.id,
    attempt: 1,
    binding: binding.id,
    name: binding.name,
    mode: 'custom',
    state: 'pending',
    attempts: 0,
    created_at: AT,
    due_at: AT,
  });
  expect(await reasons(true)).toMatchObject({ build: ['pending', 'thread_busy'] });
  if (record === undefined) throw new Error('it was there already');
  await noteBusyFolder(deployment, record);
  expect(await reasons(false)).toMatchObject({ build: ['pending', 'folder_busy'] });
});
