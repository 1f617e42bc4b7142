import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

/** What looks at all jobs of a service; `list-parameters.test.ts` has what does not. */
let service: OwnService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

async function list(query: string) {
  const { status, json, text } = await service.api('GET', `/jobs${query}`);
  expect(status, text).toBe(200);
  return json;
}
const idsOf = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);

/** Oldest first. */
const four: string[] = [];

describe('a list of four jobs', () => {
  const times: string[] = [];
  beforeAll(async () => {
    const draft = (fields: Record<string, unknown>) => createJob(service, { prompt: 'words', draft: true, ...fields });
    four.push(await draft({ profile: 'codex', model: 'm-1', title: 'Fix the Login', tags: ['web', 'urgent'] }));
    four.push(await draft({ profile: 'claude', model: 'm-2', tags: ['web'] }));
    four.push(await draft({ profile: 'shell', timeout: 90, project: 'Other One' }));
    const ran = await createJob(service, { prompt: 'drill: tool true', model: 'm-1', copied_from: four[0] });
    await untilEnded(service, ran);
    four.push(ran);
    for (const id of four) times.push((await service.api('GET', `/jobs/${id}`)).json.created_at);
  });
  const places = (page: { items: { id: string }[] }) => page.items.map(({ id }) => four.indexOf(id));

  it('shows title, tags, agent, model, timeout, creator, origin and exit as the job does', async () => {
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
      { agent: 'codex', model_used: 'm-1', copied_from: four[0], title: null, tags: [], exit_code: 0 },
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
});

describe('a list of twelve jobs', () => {
  /** Newest first. */
  const ids: string[] = [];
  beforeAll(async () => {
    ids.push(...four.toReversed());
    for (let n = 0; n < 7; n += 1)
      ids.unshift(
        await createJob(service, {
          prompt: `Paint it ${n} GREEN`,
          draft: true,
          project: n % 2 === 0 ? 'even' : 'Odd Ones',
        }),
      );
    const done = await createJob(service, { prompt: 'true', profile: 'shell', cwd: 'some/folder' });
    await untilEnded(service, done);
    ids.unshift(done);
    await waitFor(async () => (await list('')).status_counts.SUCCEEDED === 2);
  });

  it('shows every job, the newest first, with totals and counts', async () => {
    const page = await list('');
    expect(idsOf(page)).toEqual(ids);
    expect(page).toMatchObject({ total: 12, offset: 0, limit: 50, next_cursor: null });
    expect(page.status_counts).toEqual({ DRAFT: 10, QUEUED: 0, RUNNING: 0, SUCCEEDED: 2, FAILED: 0, CANCELLED: 0 });
    expect(page.items[7]).toMatchObject({
      prompt_preview: 'Paint it 0 GREEN',
      status: 'DRAFT',
      state_reason: { code: 'draft' },
    });
  });

  it('gives it in pages, by offset and by cursor', async () => {
    expect(idsOf(await list('?limit=3'))).toEqual(ids.slice(0, 3));
    expect(idsOf(await list('?limit=3&offset=6'))).toEqual(ids.slice(6, 9));
    expect(await list('?offset=100')).toMatchObject({ items: [], total: 12, offset: 100 });
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { items: { id: string }[]; next_cursor: string | null } = await list(
        `?limit=3${cursor && `&cursor=${cursor}`}`,
      );
      walked.push(...idsOf(page));
      cursor = page.next_cursor;
    }
    expect(walked).toEqual(ids);
  });

  describe('filters', () => {
    it('status', async () => {
      expect(await list('?status=SUCCEEDED')).toMatchObject({
        total: 2,
        items: [{ id: ids[0] }, { id: four[3] }],
        status_counts: { DRAFT: 10 },
      });
      expect(await list('?status=FAILED')).toMatchObject({ total: 0, items: [] });
    });

    it('search in prompt, id, project and folder, whatever the case', async () => {
      expect(idsOf(await list('?search=paint%20it%203%20green'))).toEqual([ids[4]]);
      expect(idsOf(await list(`?search=${ids[2]?.toUpperCase()}`))).toEqual([ids[2]]);
      expect(await list('?search=odd%20one')).toMatchObject({ total: 3 });
      expect(await list('?search=SOME/f')).toMatchObject({ total: 1 });
      expect(await list('?search=GREEN&status=DRAFT&limit=2')).toMatchObject({
        total: 7,
        items: [{ id: ids[1] }, { id: ids[2] }],
      });
      expect(await list('?search=')).toMatchObject({ total: 12 });
      expect(await list('?search=%20')).toMatchObject({ total: 12 });
    });

    it('search finds words in any order, and quoted text literally', async () => {
      expect(idsOf(await list('?search=GREEN%203%20paint'))).toEqual([ids[4]]);
      expect(await list('?search=green%20missing')).toMatchObject({ total: 0 });
      expect(idsOf(await list('?search=%22it%203%22%20green'))).toEqual([ids[4]]);
      expect(await list('?search=%223%20it%22')).toMatchObject({ total: 0 });
      expect(idsOf(await list(`?search=green%20${ids[4]?.slice(-8)}`))).toEqual([ids[4]]);
    });

    it('cwd, as given and as resolved', async () => {
      expect(await list('?cwd=some/folder')).toMatchObject({ total: 1 });
      expect(await list(`?cwd=${service.home}/workspaces/local_project/some/folder`)).toMatchObject({ total: 1 });
      expect(await list('?cwd=some')).toMatchObject({ total: 0 });
    });

    it('project, by id and by name, in pages', async () => {
      const first = await list('?project=Odd%20Ones&limit=2');
      expect(first).toMatchObject({ total: 3, items: [{}, {}] });
      expect(await list(`?project=Odd%20Ones&limit=2&cursor=${first.next_cursor}`)).toMatchObject({
        items: [{}],
        next_cursor: null,
        total: 3,
      });
      expect(await list(`?project=${first.items[0].project_id}`)).toMatchObject({ total: 3 });
    });
  });

  it('search finds words spread over title, tags and prompt, as last edited', async () => {
    const id = await createJob(service, {
      prompt: 'Add the figures up',
      title: 'Quarterly report',
      tags: ['finance'],
      draft: true,
    });
    expect(idsOf(await list('?search=finance%20figures%20quarterly'))).toEqual([id]);
    await service.api('PATCH', `/jobs/${id}/draft`, { title: 'Monthly report' });
    expect(idsOf(await list('?search=figures%20quarterly'))).toEqual([]);
    expect(idsOf(await list('?search=figures%20monthly'))).toEqual([id]);
  });
});
