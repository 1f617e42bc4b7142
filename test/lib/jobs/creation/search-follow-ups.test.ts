import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { makeFollowUps } from '../../../../lib/jobs/creation/follow-ups.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import type { OutputSource } from '../../../../lib/jobs/output/output-source.ts';
import { makeMissingFollowUps } from '../../../../lib/reconciler/after-attempt.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { leaveOutput, leaveSuccess, outputAskingFor, storeSucceeded } from '../succeeded-parent.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
  await deployment.profiles.put({ name: 'shell', agent: 'shell', follow_ups: 'on' });
});
afterAll(async () => await deployment.stop());

const id = (name: string) => jobIdOfKey(`search test ${name}`);
const stored = async (jobId: string) => await deployment.jobs.get(jobId, { consistent: true });
/** Too long for a receipt. */
const long = (prompt: string) => ({ prompt: prompt.padEnd(70_000, '.') });

/** The deployment with outputs that never end after what is stored, and a clock that moves `seconds` at each read. */
function withEndlessOutputs(seconds: number) {
  let now = deployment.clock.now();
  let reads = 0;
  const openStream: EmulatedDeployment['openStream'] = async (...stream) => {
    const source = await deployment.openStream(...stream);
    return {
      size: LIMITS.outputBytes,
      async *read() {
        for await (const chunk of source.read()) yield chunk;
        while (true) {
          now += seconds * 1_000;
          reads += 1;
          yield Buffer.from('a line\n');
        }
      },
    } satisfies OutputSource;
  };
  return { ...deployment, openStream, clock: { now: () => now }, reads: () => reads };
}

it('an output is searched for a minute, and what was found by then is made', async () => {
  const parent = await storeSucceeded(deployment, { id: id('endless') }, outputAskingFor([long('a')]));
  const slow = withEndlessOutputs(LIMITS.followUps.searchSeconds / 4);
  const { job, created } = await makeFollowUps(slow, parent, 1);
  expect(slow.reads()).toBe(4);
  expect(created).toHaveLength(1);
  expect(job).toMatchObject({ follow_ups: ['1.0'] });
  expect(job.warnings).toEqual([
    expect.stringMatching(/^follow-ups: \d+ of 1073741824 bytes of output were searched in 60 seconds; /),
  ]);
  expect(job).not.toHaveProperty('children_pending');
});

it('those of a lost attempt are not made while it is unknown which of them its successor repeated', async () => {
  const jobId = id('chain');
  await leaveOutput(deployment, { id: jobId, attempt: 1 }, outputAskingFor([long('a')]));
  await leaveSuccess(deployment, { id: jobId, attempt: 2 }, outputAskingFor([long('b')]), { chain: [1] });
  const parent = await deployment.store({
    id: jobId,
    status: 'SUCCEEDED',
    attempt: 2,
    agent: 'shell',
    profile: 'shell',
    children_pending: [1, 2],
  });
  const { job, created } = await makeFollowUps(withEndlessOutputs(LIMITS.followUps.searchSeconds), parent, 1);
  expect(created).toEqual([]);
  expect(job).toMatchObject({ children_pending: [2] });
  expect(job.warnings).toEqual([expect.stringMatching(/^attempt 1, follow-ups: .* bytes of output were searched/)]);
});

it('a round begins no other search after a minute', async () => {
  for (const name of ['first', 'second'])
    await storeSucceeded(deployment, { id: id(name) }, outputAskingFor([long(name)]));
  const made = async () => {
    const parents = await Promise.all([stored(id('first')), stored(id('second'))]);
    return parents.filter((parent) => parent?.follow_ups !== undefined).length;
  };
  await makeMissingFollowUps(withEndlessOutputs(60));
  expect(await made()).toBe(1);
  await makeMissingFollowUps(deployment);
  expect(await made()).toBe(2);
});

it('a job with which rounds die holds up the others for one round, and is given up after five', async () => {
  const lethal = id('lethal');
  await storeSucceeded(deployment, { id: lethal }, outputAskingFor([long('a')]));
  const dying: EmulatedDeployment = {
    ...deployment,
    openStream: async (jobId, ...rest) =>
      jobId === lethal ? await new Promise<never>(() => {}) : await deployment.openStream(jobId, ...rest),
  };
  const isMade = async () => (await stored(id('beside')))?.follow_ups !== undefined;
  for (let round = 1; round <= 5; round += 1) {
    if (round === 2) await storeSucceeded(deployment, { id: id('beside') }, outputAskingFor([long('b')]));
    makeMissingFollowUps(dying).catch(() => undefined);
    await vi.waitFor(async () => expect(await stored(lethal)).toMatchObject({ children_tries: round }), 10_000);
    if (round === 2) expect(await isMade()).toBe(true);
  }
  await makeMissingFollowUps(dying);
  const left = await stored(lethal);
  expect(left?.warnings).toEqual(['follow-ups: left out: their output could not be searched in 5 tries']);
  expect(left).not.toHaveProperty('children_pending');
  expect(left).not.toHaveProperty('children_tries');
});

it('a failure counts no try: what fails is repeated until it passes', async () => {
  const jobId = id('failing');
  await storeSucceeded(deployment, { id: jobId }, outputAskingFor([long('a')]));
  const failing = { ...deployment, openStream: () => Promise.reject(new Error('storage is away')) };
  for (let round = 0; round < 7; round += 1) await makeMissingFollowUps(failing);
  await makeMissingFollowUps(deployment);
  expect(await stored(jobId)).toMatchObject({ follow_ups: ['1.0'] });
});
