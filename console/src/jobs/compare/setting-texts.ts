import { duration } from '../../format/duration.ts';
import type { Job } from '../queries/job-query.ts';

/** A job's settings by their labels, in the order of the form. */
export function settingTexts(job: Job): [label: string, text: string][] {
  return [
    ['Project', job.project],
    ['Folder', job.cwd ?? 'a new folder'],
    ['Profile', job.profile],
    ['Requested model', job.model ?? 'default of the profile'],
    ['Priority', String(job.priority)],
    ['Timeout', job.timeout_effective_seconds === null ? 'no limit' : duration(job.timeout_effective_seconds * 1000)],
    ['Retries', String(job.retries)],
    ['Rules', job.rule_ids.join(', ') || 'none'],
    ['Title', job.title ?? 'none'],
    ['Tags', job.tags.join(', ') || 'none'],
    ['Created by', job.created_by],
  ];
}
