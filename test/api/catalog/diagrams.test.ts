import { beforeAll, expect, it, test } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

const FLOW = 'flowchart LR\n  Order --> Invoice %% ✓\n';
const put = async (name: string, project: string, body: Record<string, unknown> = { text: FLOW }) =>
  await service.api('PUT', `/diagrams/${name}?project=${project}`, body);
const listed = async (project: string) => (await service.api('GET', `/diagrams?project=${project}`)).json.items;

it('a diagram is created, listed without its text, read, replaced and deleted', async () => {
  const job = await createJob(service, { prompt: 'true', profile: 'shell', draft: true, project: 'drawn' });
  const made = await put('order-flow', 'drawn', { text: FLOW, source_job: job });
  expect(made).toMatchObject({ status: 201, json: { name: 'order-flow', project: 'drawn', text: FLOW } });
  const { text: _, ...summary } = made.json;
  expect(summary).toMatchObject({ bytes: Buffer.byteLength(FLOW), source_job: job });
  expect(await listed('drawn')).toEqual([summary]);
  const replaced = await put('order-flow', 'drawn', { text: 'pie\n "a": 1' });
  expect(replaced).toMatchObject({ status: 200, json: { source_job: job, created_at: made.json.created_at } });
  expect((await service.api('GET', '/diagrams/order-flow?project=drawn')).json).toEqual(replaced.json);
  expect(await service.api('GET', '/diagrams/order-flow')).toMatchObject({ status: 404 });
  expect(await service.api('DELETE', '/diagrams/order-flow?project=drawn')).toMatchObject({ status: 200 });
  expect(await service.api('DELETE', '/diagrams/order-flow?project=drawn')).toMatchObject({ status: 404 });
  expect(await listed('drawn')).toEqual([]);
});

test.each([
  ['no text', {}, 'body.text'],
  ['white space', { text: ' \n' }, 'body.text'],
  ['a byte too many', { text: `${'é'.repeat(LIMITS.diagrams.textBytes / 2)}x` }, 'body.text'],
  ['an unknown field', { text: FLOW, source: 'x' }, 'body: unknown "source"'],
  ['an unknown job', { text: FLOW, source_job: 'job_none' }, 'body.source_job'],
])('a diagram with %s is rejected', async (_, body, field) => {
  const { status, json } = await put('refused', 'refused', body);
  expect([status, json.error]).toEqual([400, expect.stringContaining(field)]);
});

test.each(['Upper', '..', 'a.b', 'a/b', '-a', 'x'.repeat(65), 'ü'])('no diagram is named %s', async (name) => {
  const { status } = await put(encodeURIComponent(name), 'refused');
  expect([400, 404]).toContain(status);
  expect(await listed('refused')).toEqual([]);
});

it('a text of the longest size is kept to the byte', async () => {
  const text = 'é\n'.repeat(LIMITS.diagrams.textBytes / 3).padEnd(LIMITS.diagrams.textBytes, 'x');
  const whole = text.slice(0, LIMITS.diagrams.textBytes - Math.floor(LIMITS.diagrams.textBytes / 3));
  expect(Buffer.byteLength(whole)).toBeLessThanOrEqual(LIMITS.diagrams.textBytes);
  expect((await put('long', 'long', { text: whole })).status).toBe(201);
  expect((await service.api('GET', '/diagrams/long?project=long')).json.text).toBe(whole);
});

it('a project holds so many diagrams however many are made at once, and stays while it has any', async () => {
  const { perProject } = LIMITS.diagrams;
  const answers = await Promise.all(Array.from({ length: perProject + 3 }, (_, n) => put(`d${n}`, 'full')));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused.map(({ status, json }) => [status, json.error])).toEqual(
    Array.from({ length: 3 }, () => [400, expect.stringContaining(`${perProject} diagrams already`)]),
  );
  const names: string[] = (await listed('full')).map(({ name }: { name: string }) => name);
  expect(names).toHaveLength(perProject);
  expect(await service.api('DELETE', '/projects/full')).toMatchObject({
    status: 400,
    json: { details: { jobs: 0, bindings: 0, diagrams: perProject } },
  });
  await Promise.all(names.map((name) => service.api('DELETE', `/diagrams/${name}?project=full`)));
  expect(await service.api('DELETE', '/projects/full')).toMatchObject({ status: 200 });
});

it('each job finds the diagrams of its project as files outside of its folder, and none of another project', async () => {
  const files = 'cd "$PROMPTQ_CONTEXT"; for f in $(find . -type f | sort); do echo "$f"; cat "$f"; done';
  const run = async (prompt: string, project: string) => {
    const id = await createJob(service, { prompt, profile: 'shell', project });
    await untilEnded(service, id);
    return (await service.api('GET', `/jobs/${id}/result`)).json.stdout;
  };
  await put('flow', 'with-files');
  await put('sums', 'with-files', { text: "pie\n '$(touch x)': 1\n" });
  await put('flow', 'with-files-too', { text: 'pie\n "b": 2\n' });
  const spoil = 'echo x > "$PROMPTQ_CONTEXT/diagrams/flow.mmd"';
  const all = `./diagrams/flow.mmd\n${FLOW}./diagrams/sums.mmd\npie\n '$(touch x)': 1\n`;
  expect(await run(`${files}; ${spoil}; ls "$OLDPWD"`, 'with-files')).toBe(all);
  expect(await run(`${files}; echo "$PROMPTQ_CONTEXT"`, 'with-files')).toContain(all);
  await service.api('DELETE', '/diagrams/flow?project=with-files-too');
  expect(await run(files, 'with-files-too')).toBe('');
});
