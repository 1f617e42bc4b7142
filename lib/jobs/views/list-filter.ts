import type { JobListQuery } from '../../contract/schemas/job-list.ts';
import { type Folders, resolveFolder } from '../lifecycle/working-folder.ts';
import type { JobDetails, Summary } from '../store/job-index.ts';
import type { JobLabels } from '../store/job-labels.ts';

/** A job that may belong to a list, with what the filter needs beside its index entry. */
export interface Candidate {
  readonly job: Summary;
  readonly details: JobDetails;
  readonly labels: JobLabels;
}

/** The conditions that listed jobs meet. */
export interface Filter {
  readonly needsDetails: boolean;
  readonly needsLabels: boolean;
  readonly matches: (candidate: Candidate) => boolean;
}

/** The filter of a request; undefined if it has no condition but the state, for which counters exist. */
export function filterOf(folders: Folders, query: JobListQuery): Filter | undefined {
  const { status, search, cwd, project, profile, agent, model, created_by, tag, created_after, created_before } = query;
  const isFiltered =
    search || cwd || [project, profile, agent, model, created_by, tag, created_after, created_before].some(isGiven);
  if (!isFiltered) return undefined;
  return {
    needsDetails: [agent, model, created_by, tag].some(isGiven),
    needsLabels: isGiven(tag),
    matches: ({ job, details, labels }) =>
      (!isGiven(status) || job.status === status) &&
      (!isGiven(project) || job.project_id === project || job.project === project) &&
      (!isGiven(profile) || job.profile === profile) &&
      (!isGiven(agent) || details.agent === agent) &&
      (!isGiven(model) || job.model === model || details.model_used === model) &&
      (!isGiven(created_by) || details.created_by === created_by) &&
      (!isGiven(tag) || (labels.tags ?? []).includes(tag)) &&
      (!cwd || job.cwd === cwd || resolved(folders, job) === cwd),
  };
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function resolved(folders: Folders, job: Summary): string | undefined {
  const folder = resolveFolder(folders, job);
  return 'path' in folder ? folder.path : undefined;
}
