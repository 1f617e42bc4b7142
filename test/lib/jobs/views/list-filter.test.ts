import { expect, it } from 'vitest';
import type { JobListQuery } from '../../../../lib/contract/schemas/jobs/job-list.ts';
import type { ListedJob } from '../../../../lib/jobs/store/job-index.ts';
import { filterOf } from '../../../../lib/jobs/views/list-filter.ts';
import { aJob } from '../a-job.ts';

const folders = { workspaces: '/workspaces', roots: [] };
const whole = { limit: undefined, offset: undefined };
const { id, status, reason, project_id, profile, priority, prompt_preview, attempt, created_at, queued_at } = aJob();
const job: ListedJob = {
  ...{ id, status, reason, project_id, profile, priority, prompt_preview, attempt, created_at, queued_at },
  project: 'its name',
  model: 'asked-model',
  cwd: 'sub',
  details: { agent: 'claude', model_used: 'used-model', created_by: 'token:test' },
};

/** Whether the job is in a list with these conditions. */
function lists(query: Partial<JobListQuery>, labels: { tags?: string[] } = {}): boolean {
  const filter = filterOf(folders, { ...whole, ...query });
  return filter === undefined || (filter.mayMatch(job) && filter.matches(job, labels));
}

it.each<[Partial<JobListQuery>, boolean]>([
  [{}, true],
  [{ project: 'local_project' }, true],
  [{ project: 'its name' }, true],
  [{ project: 'other' }, false],
  [{ profile: 'practice' }, true],
  [{ profile: 'other' }, false],
  [{ agent: 'claude' }, true],
  [{ agent: 'codex' }, false],
  [{ model: 'asked-model' }, true],
  [{ model: 'used-model' }, true],
  [{ model: 'other' }, false],
  [{ created_by: 'token:test' }, true],
  [{ created_by: 'token:other' }, false],
  [{ cwd: 'sub' }, true],
  [{ cwd: '/workspaces/local_project/sub' }, true],
  [{ cwd: '/workspaces/local_project/other' }, false],
  [{ project: 'local_project', status: 'QUEUED' }, true],
  [{ project: 'local_project', status: 'RUNNING' }, false],
  [{ project: 'local_project', needs: 'answer' }, false],
])('%o', (query, isListed) => {
  expect(lists(query)).toBe(isListed);
});
