import type { Job } from '../queries/job-query.ts';
import type { JobSummary } from '../queries/jobs-query.ts';

/** Characters of a prompt used in a heading. The rest is replaced by an ellipsis. */
const MAX_HEADING = 300;

/** First lines of a script that do not describe it: an interpreter, shell options. */
const PREAMBLE = /^(#!|set -)/;
/** The marker of a shell comment or a Markdown heading. */
const HASHES = /^#+\s*/;

/** The one-line name of a job: its title, the beginning of its prompt, or its ID. */
export function jobHeadline(job: Pick<JobSummary, 'id' | 'title' | 'agent' | 'prompt_preview'>): string {
  return job.title ?? (promptHeadline(job) || job.id);
}

/** The heading of a job's page: a prompt for an agent is cut after its first line. */
export function jobHeading({ id, title, agent, prompt }: Pick<Job, 'id' | 'title' | 'agent' | 'prompt'>): string {
  const shown = agent === 'shell' ? prompt : (prompt.trimStart().split('\n', 1)[0] ?? '');
  return jobHeadline({ id, title, agent, prompt_preview: shown.slice(0, MAX_HEADING) });
}

/** The first descriptive line of a script, or a prompt in one line, without the marker of a comment or heading. */
export function promptHeadline({
  agent,
  prompt_preview: prompt,
}: Pick<JobSummary, 'agent' | 'prompt_preview'>): string {
  const lines = prompt
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.replace(HASHES, '') !== '');
  if (agent !== 'shell') return lines.join(' ').replace(HASHES, '');
  const [first = lines[0] ?? '', ...others] = lines.filter((line) => !PREAMBLE.test(line));
  return HASHES.test(first) || others.length === 0 ? first.replace(HASHES, '') : `${first} …`;
}
