import { expect, it } from 'vitest';
import type { DeployBinding } from '../../../lib/bindings/deploy-binding.ts';
import { viewDeployments } from '../../../lib/deployments/view-deployments.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const deployment = quietDeployment();
const folders = { workspaces: '/workspaces', roots: [] };

const AT = '2026-11-20T10:41:00.000Z';

/** A job of its own project, whose bindings are stored. */
async function withBindings(project_id: string, job: Partial<Job>, ...fields: Partial<DeployBinding>[]) {
  for (const [at, one] of fields.entries()) {
    const named = { id: `${project_id}.${at}`, name: `${at}`, project_id, project: project_id, secrets: [] };
    const binding = { ...named, binding_mode: 'custom', command: 'make', created_at: AT, updated_at: AT } as const;
    await deployment.bindings.replace(undefined, { ...binding, ...one });
  }
  return await deployment.store({ id: `job_${project_id}`, project_id, project: project_id, ...job });
}

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
