import { expect, test } from 'vitest';
import { jobCreation } from '../../lib/contract/schemas/jobs/job-creation.ts';
import { jobListQuery } from '../../lib/contract/schemas/jobs/job-list.ts';
import { PARKINGS, READY_REASONS } from '../../lib/jobs/lifecycle/gates.ts';
import { documentAt } from './documents.ts';

/** The text from a heading to the next one. */
function section(path: string, heading: string): string {
  const { text } = documentAt(path);
  const from = `\n${text}`.indexOf(`\n${heading}\n`);
  expect(from, `${path} has no ${heading}`).toBeGreaterThanOrEqual(0);
  const begin = from + heading.length;
  const end = text.indexOf('\n#', begin);
  return text.slice(begin, end < 0 ? undefined : end);
}

/** The names in the first column of the tables of a text. */
const named = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([a-z_]+)`/g)].map(([, name]) => name ?? ''));

test('the guide lists the fields of a new job', () => {
  expect(named(section('docs/guide/jobs.md', '# Jobs')).toSorted()).toEqual(Object.keys(jobCreation.shape).toSorted());
});

test('the runbook explains each reason why a job waits', () => {
  const waiting = [...READY_REASONS, ...PARKINGS];
  expect(named(section('docs/operate/runbook.md', '## A job stays QUEUED')).toSorted()).toEqual(waiting.toSorted());
});

test('the reference names the filters of the list', () => {
  const text = section('docs/api/reference.md', '## Find jobs');
  const paging = ['limit', 'offset', 'cursor'];
  const filters = Object.keys(jobListQuery.shape).filter((name) => !paging.includes(name));
  expect(filters.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
