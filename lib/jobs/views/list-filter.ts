import type { JobListQuery } from '../../contract/schemas/jobs/job-list.ts';
import { projectIdOf } from '../../projects/projects.ts';
import { type Folders, resolveFolder } from '../lifecycle/working-folder.ts';
import { isInRange, type ListedEntry, type ListedJob } from '../store/job-index.ts';
import type { JobLabels } from '../store/job-labels.ts';

/** A job of a page, with what its entry shows. */
export interface Candidate {
  readonly job: ListedJob;
  readonly labels: JobLabels;
}

/** What a filter checks: an index entry, or a job. */
type Listed = ListedEntry | ListedJob;

/** The conditions that listed jobs meet. */
export interface Filter {
  readonly needsState: boolean;
  readonly needsLabels: boolean;
  /** Whether it meets the conditions that need neither its state nor its labels. */
  readonly mayMatch: (job: Listed) => boolean;
  /** @param job with its state, if the filter needs it */
  readonly matches: (job: Listed, labels: JobLabels) => boolean;
}

/** The filter of a request; undefined if it has no condition but the state, for which counters exist. */
export function filterOf(folders: Folders, query: JobListQuery): Filter | undefined {
  const { status, search, cwd, project, profile, agent, model, created_by, tag, created_after, created_before } = query;
  const { thread, tree, needs, template, automation } = query;
  const isFiltered =
    search ||
    cwd ||
    [project, profile, agent, model, created_by, tag, created_after, created_before].some(isGiven) ||
    [template, automation, thread, tree].some(isGiven);
  if (!isFiltered) return undefined;
  return {
    // The other states have an index.
    needsState: status === 'SUCCEEDED',
    needsLabels: isGiven(tag),
    mayMatch: ({ details, ...job }) =>
      (!isGiven(project) || job.project_id === project || job.project === project) &&
      (!isGiven(profile) || job.profile === profile) &&
      (!isGiven(agent) || details.agent === agent) &&
      (!isGiven(model) || job.model === model || details.model_used === model) &&
      (!isGiven(created_by) || details.created_by === created_by) &&
      (!isGiven(template) || details.template?.name === template) &&
      (!isGiven(automation) || details.automation === projectIdOf(automation)) &&
      (!cwd || job.cwd === cwd || resolved(folders, job) === cwd),
    matches: (job, labels) =>
      (!('status' in job) || isInRange(job, { status, needs })) && (!isGiven(tag) || (labels.tags ?? []).includes(tag)),
  };
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function resolved(folders: Folders, job: Pick<ListedEntry, 'id' | 'project_id' | 'cwd'>): string | undefined {
  const folder = resolveFolder(folders, job);
  return 'path' in folder ? folder.path : undefined;
}
