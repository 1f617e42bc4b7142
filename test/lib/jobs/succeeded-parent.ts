import { collectFollowUps } from '../../../lib/jobs/creation/collect-follow-ups.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { liveChunkKey } from '../../../lib/jobs/output/output-keys.ts';
import type { Receipt } from '../../../lib/jobs/receipts/receipt.ts';
import { s3OutputObjects } from '../../../worker-container/output/output-objects.ts';
import type { EmulatedDeployment } from '../../stand-ins/emulated-deployment.ts';
import { aReceipt, aRunningJob } from './a-job.ts';

/** A script's output that asks for these jobs; what is no object is written as it stands. */
export function outputAskingFor(payloads: readonly unknown[]): string {
  return payloads
    .map(
      (payload) => `\`\`\`follow-up-job\n${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\`\`\`\n`,
    )
    .join('');
}

/** Puts the output of a script's attempt. */
export async function leaveOutput(
  deployment: EmulatedDeployment,
  { id, attempt }: Pick<Job, 'id' | 'attempt'>,
  stdout: string,
): Promise<void> {
  await s3OutputObjects(deployment.objects, deployment.env.OUTPUT_BUCKET).put(
    liveChunkKey(id, attempt, 'stdout', 0),
    Buffer.from(stdout),
    new AbortController().signal,
  );
}

/** Puts what a worker leaves of a script's attempt, a success by default: output and receipt, before it reports. */
export async function leaveSuccess(
  deployment: EmulatedDeployment,
  job: Pick<Job, 'id' | 'attempt'>,
  stdout: string,
  more: Partial<Receipt> = {},
): Promise<void> {
  const { messages, found } = collectFollowUps();
  messages.push(stdout);
  messages.end();
  const asked = found();
  await leaveOutput(deployment, job, stdout);
  const receipt = aReceipt(
    { kind: 'succeeded', reason: 'exited' },
    {
      job_id: job.id,
      attempt: job.attempt,
      agent: 'shell',
      ...(asked !== undefined && { follow_ups: asked }),
    },
  );
  await deployment.output.putReceipt({ ...receipt, ...more });
}

/** A job whose only attempt has succeeded and been reported, by a worker that died before it could do more. */
export async function storeSucceeded(
  deployment: EmulatedDeployment,
  differences: Partial<Job> & Pick<Job, 'id'>,
  stdout: string,
): Promise<Job> {
  const running = await deployment.store(aRunningJob({ profile: 'shell', ...differences }));
  await leaveSuccess(deployment, running, stdout);
  const receipt = await deployment.output.readReceipt(running.id, running.attempt);
  if (receipt === undefined) throw new Error('there is no receipt');
  const ended = await transition(deployment, running, { type: 'end', receipt });
  if (!ended.done) throw new Error(ended.rejected);
  return ended.job;
}
