import { beforeAll, describe, expect, it } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { ASKING, asking, importAsking } from '../follow-up-script.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
  await importAsking(service);
});

async function treeOf(id: string, query = '') {
  return (await service.api('GET', `/jobs?tree=${id}&limit=500${query}`)).json;
}

/** The tree once nothing of it is due: so many jobs are there, and all but drafts have ended. */
async function untilGrown(id: string, count: number) {
  return await waitFor(async () => {
    const { items, total } = await treeOf(id);
    const isOpen = ({ status }: { status: string }) => status === 'QUEUED' || status === 'RUNNING';
    return total >= count && !items.some(isOpen) && items;
  });
}

describe('a tree of jobs', () => {
  it('has at most 100 descendants, which are listed and cancelled together, also once its root has ended', async () => {
    const drafts = Array.from({ length: 20 }, (_, n) => ({ prompt: `draft ${n}`, draft: true }));
    const parents = Array.from({ length: 5 }, () => ({ prompt: asking(...drafts) }));
    const root = await createJob(service, { prompt: asking(...parents), profile: ASKING });
    const items = await untilGrown(root, 101);
    expect(items).toHaveLength(101);
    const children = items.filter((job: { parent_id: string }) => job.parent_id === root);
    expect(items.filter(({ root_id: of }: { root_id: string }) => of === root)).toHaveLength(100);
    const { json: first } = await service.api('GET', `/jobs?tree=${root}&limit=60`);
    const { json: rest } = await service.api('GET', `/jobs?tree=${root}&limit=60&cursor=${first.next_cursor}`);
    expect([...first.items, ...rest.items]).toEqual(items);
    const warnings = await waitFor(async () => {
      const read = await Promise.all(children.map(({ id }: { id: string }) => service.api('GET', `/jobs/${id}`)));
      const all = read.flatMap(({ json }) => json.warnings);
      return all.length === 5 && all;
    });
    expect(warnings[0]).toMatch(
      new RegExp(`^follow-up \\d+: a tree has at most 100 jobs below its root, and that of ${root} has 100$`),
    );
    // The tree of a job in the middle is a part of it.
    const [child] = children;
    const part = await treeOf(child.id, '&status=DRAFT');
    expect(part.total).toBeGreaterThanOrEqual(15);
    expect((await service.api('POST', `/jobs/${child.id}/kill`, { tree: true })).json.cancelled_jobs).toBe(part.total);
    const { json } = await service.api('POST', `/jobs/${root}/cancel`, { tree: true });
    expect(json).toMatchObject({ id: root, status: 'SUCCEEDED', root_id: null, cancelled_jobs: 95 - part.total });
    expect((await treeOf(root, '&status=CANCELLED')).total).toBe(95);
    const again = await service.api('POST', `/jobs/${root}/cancel`, { tree: true });
    expect(again).toMatchObject({ status: 200, json: { cancelled_jobs: 0 } });
    expect(await service.api('POST', `/jobs/${root}/cancel`)).toMatchObject({ status: 400 });
  });

  it('ends its running jobs when it is cancelled, and accepts no job until its root is retried', async () => {
    const child = { prompt: `echo begun; sleep 300; ${asking({ prompt: 'true' })}` };
    const root = await createJob(service, { prompt: asking(child, { prompt: 'x', draft: true }), profile: ASKING });
    const running = await waitFor(async () => {
      const { items } = await treeOf(root);
      return (
        items.length === 3 &&
        items.find((job: { id: string; status: string }) => job.id !== root && job.status === 'RUNNING')
      );
    });
    const { json } = await service.api('POST', `/jobs/${root}/cancel`, { tree: true });
    expect(json.cancelled_jobs).toBe(2);
    expect(await untilEnded(service, running.id)).toMatchObject({ status: 'CANCELLED' });
    // What was not made before is not made by what looks for missing jobs.
    const reread = await service.api('POST', `/jobs/${root}/reread-logs`);
    expect(reread.json.recovered_follow_up_ids).toEqual([]);
    expect((await treeOf(root)).total).toBe(3);
    await service.api('POST', `/jobs/${root}/retry`);
    await waitFor(async () => (await treeOf(root)).total === 5);
    await service.api('POST', `/jobs/${root}/kill`, { tree: true });
  });

  it('rejects a job of a higher priority than its parent', async () => {
    const payloads = [
      { prompt: 'a', draft: true },
      { prompt: 'b', draft: true, priority: 0 },
    ];
    const prompt = asking(...payloads, { prompt: 'c', draft: true, priority: -7 });
    const root = await createJob(service, { prompt, profile: ASKING, priority: -3 });
    const items = await untilGrown(root, 3);
    expect(items.map(({ priority }: { priority: number }) => priority).toSorted()).toEqual([-3, -3, -7]);
    const { json } = await service.api('GET', `/jobs/${root}`);
    expect(json.warnings).toEqual([
      'follow-up 2: priority: received 0; a job starts jobs of at most its own priority, -3',
    ]);
  });
});
