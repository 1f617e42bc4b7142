import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aReceipt, aRunningJob } from '../a-job.ts';

/** How many writes an event takes when a heartbeat has pushed the lease since the job was read. */
async function writesAfterHeartbeat(event: JobEvent): Promise<number> {
  const deployment = quietDeployment();
  const known = await deployment.store(aRunningJob());
  await deployment.jobs.touch(known, { lease_until: '2026-11-20T10:00:40.000Z' });
  const before = deployment.calls.length;
  expect(await transition(deployment, known, event)).toMatchObject({ done: true });
  return deployment.calls.slice(before).filter((call) => call instanceof UpdateCommand).length;
}

it('a heartbeat in between causes no retry if the lease was not decisive', async () => {
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' });
  expect(await writesAfterHeartbeat({ type: 'end', receipt })).toBe(1);
  expect(await writesAfterHeartbeat({ type: 'cancel' })).toBe(1);
  expect(await writesAfterHeartbeat({ type: 'kill' })).toBe(1);
});
