import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claim } from '../../../../lib/jobs/admission/claim.ts';
import type { ReceivedMessage } from '../../../../lib/jobs/dispatch/dispatch-queues.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeEach(async () => {
  deployment = await emulateDeployment();
});
afterEach(async () => await deployment.stop());

async function inParallel<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of waiting) await work(item);
    }),
  );
}

describe('a flood of 260 jobs of one project', () => {
  // SQS's fair queues, which keep a flood's messages from going first, are AWS's part; the emulator ignores
  // MessageGroupId and delivers messages in order of arrival. The service's part is shown: each message has its project
  // as its group, and in any order serves its own project only. So a job waits for no more starts
  // than there are messages before the first of its project.
  it("delays another project's job by no start beyond the dispatch messages before it", async () => {
    const flood = Array.from({ length: 260 }, (_, n) => ({
      id: jobIdOfKey(`flood ${n}`),
      project_id: 'p-flood',
      queued_at: '2026-11-20T09:00:00.000Z',
    }));
    await inParallel(flood, 32, async (job) => void (await deployment.store(job)));
    const small = await deployment.store({ id: jobIdOfKey('small'), project_id: 'p-small' });
    const starts: string[] = [];
    // As a fair queue delivers them: a group that was served is followed by one that was not.
    for (const job of [flood[259], small, flood[0], small]) {
      const held = permitOf(job?.id ?? '', job?.project_id ?? '');
      const claimed = await claim({ ...deployment, pause: async () => undefined }, held, 'worker-1');
      if (claimed.kind === 'claimed') starts.push(claimed.job.project_id);
      else starts.push(claimed.kind);
    }
    // The second message of the small project finds nothing: it takes no job of the flood.
    expect(starts).toEqual(['p-flood', 'p-small', 'p-flood', 'retry_later']);
  });

  function permitOf(job: string, project: string): ReceivedMessage {
    return { message: { v: 1, band: 'normal', project, job }, handle: 'handle', receives: 1 };
  }
});
