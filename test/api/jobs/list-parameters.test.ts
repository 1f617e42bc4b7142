import { beforeAll, describe, expect, it } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
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
    [
      '?created_after=2026-11-01T00:00:00+01:00',
      'query.created_after: received "2026-11-01T00:00:00 01:00" (string); expected a time in RFC 3339, such as 2026-11-20T10:41:00Z; in a URL, + means a blank: encode it as %2B',
    ],
    ['?limit=1&limit=2', 'query: "limit" was given 2 times; once is allowed'],
    [
      '?cursor=nonsense',
      'query.cursor: received "nonsense"; give next_cursor of the page before, with the same filters',
    ],
    [
      '?limt=5',
      'query: unknown "limt"; allowed: limit, offset, status, needs, search, cwd, project, profile, agent, model, created_by, tag, template, automation, thread, tree, created_after, created_before, order, cursor',
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

describe('title and tags', () => {
  it('are edited separately, and removed by empty values', async () => {
    const list = async (query: string) => (await service.api('GET', `/jobs?project=edited-titles&${query}`)).json;
    const fields = { prompt: 'y', draft: true, project: 'edited-titles' };
    const id = await createJob(service, { ...fields, title: 'One', tags: ['a', 'a', 'b'] });
    const edit = async (fields: Record<string, unknown>) =>
      (await service.api('PATCH', `/jobs/${id}/draft`, fields)).json;
    expect((await service.api('GET', `/jobs/${id}`)).json).toMatchObject({ title: 'One', tags: ['a', 'b'] });
    expect(await edit({ title: 'Two' })).toMatchObject({ title: 'Two', tags: ['a', 'b'] });
    expect(await edit({ tags: ['c'] })).toMatchObject({ title: 'Two', tags: ['c'] });
    expect(await list('tag=a')).toMatchObject({ total: 0 });
    expect(await list('search=two')).toMatchObject({ items: [{ id, title: 'Two', tags: ['c'] }] });
    expect(await edit({ title: '', tags: [] })).toMatchObject({ title: null, tags: [] });
    expect(await list('search=two')).toMatchObject({ total: 0 });
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

it.each([
  ['decomposed letters', 'visit Lu\u0308beck', 'L\u00fcbeck'],
  ['composed letters', 'visit Z\u00fcrich', 'zu\u0308rich'],
  ['letters of another width', 'visit \uff34\uff4f\uff4b\uff59\uff4f', 'tokyo'],
  ['a sharp s', 'in der Hauptstra\u00dfe', 'HAUPTSTRASSE'],
  ['a sigma at the end', '\u039f\u0394\u039f\u03a3', '\u03bf\u03b4\u03bf\u03c3'],
])('a search finds %s, in prompts and titles', async (what, text, search) => {
  const project = `folded ${what}`;
  const draft = (fields: object) => createJob(service, { prompt: 'x', draft: true, project, ...fields });
  const ids = [await draft({ prompt: text }), await draft({ title: text })];
  const { json } = await service.api('GET', `/jobs?project=${project}&search=${encodeURIComponent(search)}`);
  expect(json.items.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted());
});
