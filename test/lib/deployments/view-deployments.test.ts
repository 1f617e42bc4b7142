import { expect, it } from 'vitest';
import { type DeployBinding, viewBinding } from '../../../lib/bindings/deploy-binding.ts';
import { noteBusyFolder } from '../../../lib/deployments/commands-in-thread.ts';
import { viewDeployment, viewDeployments } from '../../../lib/deployments/view-deployments.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const deployment = quietDeployment();
const folders = { workspaces: '/workspaces', roots: [] };

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

it('a deployment shows what is known of it, and null for times that it does not have', () => {
  const named = { binding: 'app.call', name: 'call', mode: 'generic', attempt: 1, attempts: 3 } as const;
  const internal = { job_id: 'job_1', created_at: AT, due_at: AT, payload: '{}', version: 4, change_id: 'c' } as const;
  const bare = viewDeployment({ ...named, ...internal, state: 'delivered' });
  expect(bare).toEqual({ ...named, state: 'delivered', started_at: null, finished_at: null });
  const tried = { started_at: AT, finished_at: '2026-11-20T10:42:00.000Z', last_status: 500, error: 'no', log: '' };
  const shown = { ...tried, log_truncated: false, state: 'failed' } as const;
  const running = { worker_id: 'worker-1', ends_by: AT };
  expect(viewDeployment({ ...named, ...internal, ...running, ...shown })).toEqual({ ...named, ...shown });
});

/** A job of its own project, whose bindings are stored. */
async function withBindings(project_id: string, job: Partial<Job>, ...fields: Partial<DeployBinding>[]) {
  for (const [at, one] of fields.entries()) {
    const named = { id: `${project_id}.${at}`, name: `${at}`, project_id, project: project_id, secrets: [] };
    const binding = { ...named, binding_mode: 'custom', command: 'make', created_at: AT, updated_at: AT } as const;
    await deployment.bindings.replace(undefined, { ...binding, ...one });
  }
  return await deployment.store({ id: `job_${project_id}`, project_id, project: project_id, ...job });
}

it('a deployment that is not recorded yet is shown for each pending attempt, for bindings that saw the success', async () => {
  const ended: Partial<Job> = { status: 'SUCCEEDED', attempt: 2, finished_at: AT, bindings_pending: [1, 2] };
  const late = { created_at: '2026-11-20T10:41:00.001Z' };
  const job = await withBindings('coming', ended, {}, late, { command: undefined }, {});
  await deployment.deployments.replace(undefined, {
    ...{ job_id: job.id, attempt: 2, binding: 'coming.0', name: '0', mode: 'custom', state: 'running', attempts: 1 },
    ...{ created_at: AT, due_at: AT },
  });
  const shown = async (seen: Job) => await viewDeployments({ ...deployment, folders }, seen);
  const nothing = { mode: 'custom', state: 'pending', attempts: 0, started_at: null, finished_at: null };
  const running = { ...nothing, binding: 'coming.0', name: '0', attempt: 2, state: 'running', attempts: 1 };
  expect(await shown(job)).toEqual([
    running,
    { ...nothing, binding: 'coming.0', name: '0', attempt: 1 },
    { ...nothing, binding: 'coming.3', name: '3', attempt: 1 },
    { ...nothing, binding: 'coming.3', name: '3', attempt: 2 },
  ]);
  const held = await shown({ ...job, commands_held: true });
  expect(held[0]).toEqual(running);
  expect(held).toMatchObject([running, ...[1, 1, 2].map((attempt) => ({ attempt, pending_reason: 'thread_busy' }))]);
  expect(await shown({ ...job, bindings_pending: undefined })).toEqual([running]);
  expect(await shown({ ...job, finished_at: undefined })).toEqual([running]);
  expect(await shown({ ...job, attempt: 0, bindings_pending: undefined })).toEqual([]);
});

it('an editor link is there from the first attempt on, and not without a link, switched off or outside of the folders', async () => {
  const editor = { binding_mode: 'hosted_editor', open_url: 'vscode://file/{cwd}' } as const;
  const job = await withBindings(
    'edited',
    {},
    editor,
    { ...editor, open_url: undefined },
    { ...editor, binding_mode: 'custom' },
    { ...editor, disabled_reason: 'It was switched off.' },
  );
  const shown = async (differences: Partial<Job>) =>
    await viewDeployments({ ...deployment, folders }, { ...job, ...differences });
  const open_url = `vscode://file/${encodeURIComponent('/workspaces/edited/job_edited/work')}`;
  const link = { binding: 'edited.0', name: '0', mode: 'hosted_editor', open_url };
  const nothing = { attempts: 0, started_at: null, finished_at: null };
  expect(await shown({})).toEqual([{ ...link, ...nothing, attempt: 0, state: 'pending' }]);
  expect(await shown({ attempt: 3 })).toEqual([{ ...link, ...nothing, attempt: 3, state: 'succeeded' }]);
  expect(await shown({ cwd: '../elsewhere' })).toEqual([]);
});
