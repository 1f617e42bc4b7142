import { expect, it } from 'vitest';
import { activeFilters, readFilters, withFilters } from '../../../console/src/jobs/queries/job-filters.ts';

const change = (query: string, changes: Parameters<typeof withFilters>[1]) =>
  String(withFilters(new URLSearchParams(query), changes));

it('a change of filters returns to the first page and removes empty filters', () => {
  expect(change('cursor=x&tag=a&order=oldest', { tag: 'b' })).toBe('tag=b&order=oldest');
  expect(change('tag=a&status=QUEUED', { tag: '' })).toBe('status=QUEUED');
});

it('a search and a thread replace each other', () => {
  expect(change('thread=job_1', { search: 'a' })).toBe('search=a');
  expect(change('search=a', { thread: 'job_1' })).toBe('thread=job_1');
  expect(change('thread=job_1', { search: '' })).toBe('thread=job_1');
  expect(change('search=a', { thread: '' })).toBe('search=a');
});

it('filters that the API would reject are not read from an address', () => {
  const read = (query: string) => readFilters(new URLSearchParams(query));
  expect(read('')).toEqual({});
  expect(read('status=DONE&agent=gpt&order=newest&tag=%20&created_after=yesterday')).toEqual({});
  const texts = { project: 'p', cwd: 'c', profile: 'f', model: 'm', created_by: 'b', tag: 't' };
  const valid = { ...texts, status: 'QUEUED', agent: 'codex', order: 'oldest', search: 's' };
  expect(read(String(new URLSearchParams(valid)))).toEqual(valid);
  expect(read('search=a&thread=job_1')).toEqual({ thread: 'job_1' });
  expect(read('created_after=2026-11-20&created_before=2026-11-20T10:00:00%2B01:00')).toEqual({
    created_after: '2026-11-20T00:00:00.000Z',
    created_before: '2026-11-20T09:00:00.000Z',
  });
});

it('active filters are shown in the order of the panel, without the order of the list', () => {
  expect(activeFilters({ order: 'oldest', tag: 't', status: 'QUEUED' })).toEqual([
    ['status', 'QUEUED'],
    ['tag', 't'],
  ]);
});
