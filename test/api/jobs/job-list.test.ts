import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnService, startService, waitFor } from '../../local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: OwnService;
const ids: string[] = [];
beforeAll(async () => {
  service = await startService();
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
  await waitFor(async () => (await list('')).status_counts.SUCCEEDED === 1);
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

it('shows every job, the newest first, with totals and counts', async () => {
  const page = await list('');
  expect(idsOf(page)).toEqual(ids);
  expect(page).toMatchObject({ total: 8, offset: 0, limit: 50, next_cursor: null });
  expect(page.status_counts).toEqual({ DRAFT: 7, QUEUED: 0, RUNNING: 0, SUCCEEDED: 1, FAILED: 0, CANCELLED: 0 });
  expect(page.items[7]).toMatchObject({
    prompt_preview: 'Paint it 0 GREEN',
    status: 'DRAFT',
    state_reason: { code: 'draft' },
  });
});

it('gives it in pages, by offset and by cursor', async () => {
  expect(idsOf(await list('?limit=3'))).toEqual(ids.slice(0, 3));
  expect(idsOf(await list('?limit=3&offset=6'))).toEqual(ids.slice(6));
  expect(await list('?offset=100')).toMatchObject({ items: [], total: 8, offset: 100 });
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
      total: 1,
      items: [{ id: ids[0] }],
      status_counts: { DRAFT: 7 },
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
    expect(await list('?search=')).toMatchObject({ total: 8 });
    expect(await list('?search=%20')).toMatchObject({ total: 8 });
  });

  it('search finds words in any order, and text in quotes as it is', async () => {
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

describe('a parameter out of its bounds is rejected by name', () => {
  for (const [query, sentence] of [
    ['?limit=0', 'query.limit: received "0" (string); expected a whole number from 1 to 500'],
    ['?limit=501', 'query.limit: received "501" (string); expected a whole number from 1 to 500'],
    ['?limit=ten', 'query.limit: received "ten" (string); expected a whole number from 1 to 500'],
    [
      '?offset=-1',
      `query.offset: received "-1" (string); expected a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
    ],
    [
      '?status=DONE',
      'query.status: received "DONE" (string); expected one of "DRAFT", "QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"',
    ],
    ['?limit=1&limit=2', 'query: "limit" was given 2 times; once is allowed'],
    [
      '?cursor=nonsense',
      'query.cursor: received "nonsense"; give next_cursor of the page before, with the same filters',
    ],
    [
      '?limt=5',
      'query: unknown "limt"; allowed: limit, offset, status, needs, search, cwd, project, profile, agent, model, created_by, tag, thread, created_after, created_before, order, cursor',
    ],
  ] as const) {
    it(query, async () => {
      const { status, json } = await service.api('GET', `/jobs${query}`);
      expect({ status, error: json.error }).toEqual({ status: 400, error: sentence });
    });
  }

  it('a search of 201 characters', async () => {
    expect((await service.api('GET', `/jobs?search=${'x'.repeat(201)}`)).status).toBe(400);
    expect((await service.api('GET', `/jobs?search=${'x'.repeat(200)}`)).status).toBe(200);
  });
});

it('search finds words that the title, the tags and the prompt have between them, as they are after an edit', async () => {
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
