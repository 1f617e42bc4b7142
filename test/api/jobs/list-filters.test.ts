import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnService, startService } from '../../local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: OwnService;
/** Oldest first. */
const ids: string[] = [];
const times: string[] = [];
beforeAll(async () => {
  service = await startService();
  const draft = (fields: Record<string, unknown>) => createJob(service, { prompt: 'words', draft: true, ...fields });
  ids.push(await draft({ profile: 'codex', model: 'm-1', title: 'Fix the Login', tags: ['web', 'urgent'] }));
  ids.push(await draft({ profile: 'claude', model: 'm-2', tags: ['web'] }));
  ids.push(await draft({ profile: 'shell', timeout: 90, project: 'Other One' }));
  const ran = await createJob(service, { prompt: 'drill: tool true', model: 'm-1', copied_from: ids[0] });
  await untilEnded(service, ran);
  ids.push(ran);
  for (const id of ids) times.push((await service.api('GET', `/jobs/${id}`)).json.created_at);
});
afterAll(async () => {
  await service.stop();
});

async function list(query: string) {
  const { status, json, text } = await service.api('GET', `/jobs${query}`);
  expect(status, text).toBe(200);
  return json;
}
const places = (page: { items: { id: string }[] }) => page.items.map(({ id }) => ids.indexOf(id));

it('lists show title, tags, agent, model, timeout, creator, origin and exit as the job does', async () => {
  const { items } = await list('');
  for (const item of items) {
    const { json: job } = await service.api('GET', `/jobs/${item.id}`);
    for (const name of [
      'title',
      'tags',
      'agent',
      'model_used',
      'timeout_effective_seconds',
      'created_by',
      'copied_from',
      'exit_code',
      'signal',
    ])
      expect(item[name], name).toEqual(job[name]);
  }
  expect(items).toMatchObject([
    { agent: 'codex', model_used: 'm-1', copied_from: ids[0], title: null, tags: [], exit_code: 0 },
    { agent: 'shell', model_used: null, timeout_effective_seconds: 90, copied_from: null, exit_code: null },
    { agent: 'claude', model_used: null, title: null, tags: ['web'] },
    { agent: 'codex', model_used: null, title: 'Fix the Login', tags: ['web', 'urgent'] },
  ]);
  expect(items[0].created_by).toMatch(/^token:/);
});

describe('filters', () => {
  it.each([
    ['?profile=claude', [1]],
    ['?agent=codex', [3, 0]],
    ['?model=m-1', [3, 0]],
    ['?tag=web', [1, 0]],
    ['?tag=urgent&tag_', undefined],
    ['?tag=web&agent=claude', [1]],
    ['?created_by=token:nobody', []],
    ['?search=fix%20the%20login', [0]],
    ['?search=URGENT', [0]],
    ['?search=words&tag=web&order=oldest', [0, 1]],
    ['?search=words&agent=shell', [2]],
    ['?project=Other%20One&agent=shell', [2]],
    ['?agent=codex&order=oldest', [0, 3]],
    ['?order=oldest', [0, 1, 2, 3]],
  ] as const)('%s', async (query, expected) => {
    if (expected === undefined) expect((await service.api('GET', `/jobs${query}`)).status).toBe(400);
    else {
      const page = await list(query);
      expect(places(page)).toEqual(expected);
      expect(page).toMatchObject({ total: expected.length, total_complete: true, next_cursor: null });
    }
  });

  it('the time of creation, from the first instant on and up to the second', async () => {
    const [, second = '', third = ''] = times;
    expect(places(await list(`?created_after=${second}`))).toEqual([3, 2, 1]);
    expect(places(await list(`?created_before=${second}`))).toEqual([0]);
    expect(places(await list(`?created_after=${second}&created_before=${third}&order=oldest`))).toEqual([1]);
    expect(places(await list(`?created_after=${second}&search=words`))).toEqual([2, 1]);
    for (const more of ['', '&order=oldest', '&status=DRAFT', '&search=words']) {
      expect(await list(`?created_after=${second}&created_before=${second}${more}`)).toMatchObject({ total: 0 });
      expect(await list(`?created_after=${third}&created_before=${second}${more}`)).toMatchObject({ total: 0 });
    }
    const offset = new Date(Date.parse(second) + 3_600_000).toISOString().replace('Z', '%2B01:00');
    expect(places(await list(`?created_before=${offset}&status=DRAFT`))).toEqual([0]);
    const { status, json } = await service.api('GET', '/jobs?created_after=yesterday');
    expect(status).toBe(400);
    expect(json.error).toContain('query.created_after: received "yesterday" (string); expected a time in RFC 3339');
  });

  for (const query of [
    '?agent=codex',
    '?search=words',
    '?tag=web',
    '?created_after=2000-01-01T00:00:00Z',
    '?order=oldest',
  ])
    it(`are paged: ${query}`, async () => {
      const whole = await list(query);
      const walked: number[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: { items: { id: string }[]; total: number; next_cursor: string | null } = await list(
          `${query}&limit=1${cursor && `&cursor=${cursor}`}`,
        );
        expect(page.total).toBe(whole.total);
        walked.push(...places(page));
        cursor = page.next_cursor;
      }
      expect(walked).toEqual(places(whole));
      expect(places(await list(`${query}&offset=1`))).toEqual(places(whole).slice(1));
    });

  it('a cursor of another time filter is rejected', async () => {
    const { next_cursor } = await list('?created_after=2000-01-01T00:00:00Z&limit=1');
    const { status } = await service.api('GET', `/jobs?created_before=2001-01-01T00:00:00Z&cursor=${next_cursor}`);
    expect(status).toBe(400);
  });
});

describe('title and tags', () => {
  it('are changed by an edit, one without the other, and taken away by nothing', async () => {
    const id = await createJob(service, { prompt: 'y', draft: true, title: 'One', tags: ['a', 'a', 'b'] });
    const edit = async (fields: Record<string, unknown>) =>
      (await service.api('PATCH', `/jobs/${id}/draft`, fields)).json;
    expect((await service.api('GET', `/jobs/${id}`)).json).toMatchObject({ title: 'One', tags: ['a', 'b'] });
    expect(await edit({ title: 'Two' })).toMatchObject({ title: 'Two', tags: ['a', 'b'] });
    expect(await edit({ tags: ['c'] })).toMatchObject({ title: 'Two', tags: ['c'] });
    expect(await list('?tag=a')).toMatchObject({ total: 0 });
    expect(await list('?search=two')).toMatchObject({ items: [{ id, title: 'Two', tags: ['c'] }] });
    expect(await edit({ title: '', tags: [] })).toMatchObject({ title: null, tags: [] });
    expect(await list('?search=two')).toMatchObject({ total: 0 });
  });

  it.each([
    [{ title: 'x'.repeat(121) }, /^body\.title: .*expected a length of at most 120$/],
    [{ title: 'a\u202eb' }, /^body\.title: .*without control, bidirectional/],
    [{ tags: Array.from({ length: 11 }, (_, n) => `t${n}`) }, /^body\.tags: .*at most 10$/],
    [{ tags: [''] }, /^body\.tags\[0\]: .*expected a non-empty string$/],
    [{ tags: ['x'.repeat(41)] }, /^body\.tags\[0\]: .*at most 40$/],
    [{ copied_from: 'job_00000000000000000000000000' }, /^body\.copied_from: .*there is no job of this id$/],
    [{ copied_from: 'x' }, /^body\.copied_from: received "x"; there is no job of this id$/],
  ])('are rejected out of their bounds: %j', async (fields, sentence) => {
    const { status, json } = await service.api('POST', '/jobs', { prompt: 'words', draft: true, ...fields });
    expect(status).toBe(400);
    expect(json.error).toMatch(sentence);
  });
});
