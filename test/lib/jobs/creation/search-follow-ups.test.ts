import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { runDueEffects } from '../../../../lib/reconciler/after-attempt.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { outputAskingFor, storeSucceeded } from '../succeeded-parent.ts';

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

/** The deployment after this time, when what was tried is due again. */
function inMinutes(later: EmulatedDeployment, minutes: number) {
  return { ...later, clock: { now: () => deployment.clock.now() + minutes * 60_000 } };
}

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
    runDueEffects(inMinutes(dying, round * 15), { slow: true }).catch(() => undefined);
    await vi.waitFor(async () => expect(await stored(lethal)).toMatchObject({ effects: [{ tries: round }] }), 10_000);
    if (round === 2) expect(await isMade()).toBe(true);
  }
  await runDueEffects(inMinutes(dying, 120), { slow: true });
  const left = await stored(lethal);
  expect(left?.warnings).toEqual(['follow-ups: left out: their output could not be searched in 5 tries']);
  expect(left).not.toHaveProperty('effects');
});
