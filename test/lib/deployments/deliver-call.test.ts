import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BindingSecretStore } from '../../../lib/bindings/binding-secrets.ts';
import { writeBinding } from '../../../lib/bindings/write-binding.ts';
import { createDelivery } from '../../../lib/composition/services.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { deliverCall } from '../../../lib/deployments/deliver-call.ts';
import { endAttempt } from '../../../lib/jobs/dispatch/end-attempt.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { ProjectStore } from '../../../lib/projects/projects.ts';
import { runDueEffects } from '../../../lib/reconciler/after-attempt.ts';
import { type ReceivedCall, startReceiver } from '../../api/catalog/webhook-receiver.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { aReceipt, aRunningJob } from '../jobs/a-job.ts';

let deployment: EmulatedDeployment;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let now = Date.parse('2026-11-20T10:00:00.000Z');
/** What the receiver asks for by Retry-After. */
let retryAfter: string | undefined;
const clock = { now: () => now };

beforeAll(async () => {
  deployment = await emulateDeployment();
  receiver = await startReceiver(() => (retryAfter === undefined ? [200] : [503, { 'retry-after': retryAfter }]));
});
afterAll(async () => {
  await receiver.stop();
  await deployment.stop();
});

/** Writes the binding of a project; its secret is in the answer. */
async function bind(project: string, change: { rotate_secret?: true } = {}) {
  const { view } = await writeBinding(
    {
      ...deployment,
      clock,
      secrets: new BindingSecretStore(deployment.registry),
      projects: new ProjectStore({ ...deployment.registry, clock }),
      reach: { loopback: true },
    },
    { binding_mode: 'generic', project, target_url: `${receiver.url}/${project}`, ...change },
  );
  return { secret: view.secret ?? '' };
}

/** A job of the project succeeds, and its call is made once. @returns after how many seconds it is to be made again. */
async function deliver(project: string, name: string): Promise<number | undefined> {
  const job = await deployment.store(aRunningJob({ id: jobIdOfKey(name), project_id: project, project }));
  const finished_at = new Date(now).toISOString();
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: job.id, finished_at });
  await deployment.output.putReceipt(receipt);
  await endAttempt({ ...deployment, clock }, job, receipt);
  await runDueEffects({ ...deployment, clock });
  const context = { ...createDelivery({ ...deployment, env: { ...deployment.env, PROMPTQ_CALL_PAUSES: [1] } }), clock };
  return await deliverCall(context, { v: 1, job: job.id, attempt: 1, binding: `${project}.generic` });
}

/** Whether a call bears the signature of a secret, whatever the time. */
function isSignedWith(call: ReceivedCall | undefined, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = call?.headers ?? {};
  const wanted = new Webhook(secret).sign(String(id), new Date(Number(at) * 1000), call?.body ?? '');
  return String(signatures).split(' ').includes(wanted);
}

it('a replaced secret signs beside the new one for its time, and no longer', async () => {
  const former = (await bind('rotated')).secret;
  const { secret } = await bind('rotated', { rotate_secret: true });
  now += (LIMITS.deployBindings.formerSecretSeconds - 1) * 1000;
  await deliver('rotated', 'within');
  now += 1_000;
  await deliver('rotated', 'after');
  const [within, after] = receiver.to('/rotated');
  expect([isSignedWith(within, secret), isSignedWith(within, former)]).toEqual([true, true]);
  expect([isSignedWith(after, secret), isSignedWith(after, former)]).toEqual([true, false]);
});

it('a rotation forgets the secrets that no longer sign, and keeps no more than the limit', async () => {
  const secrets = new BindingSecretStore(deployment.registry);
  const listed = async () => (await deployment.bindings.get('forgotten.generic'))?.secrets.map(({ ref }) => ref) ?? [];
  await bind('forgotten');
  await bind('forgotten', { rotate_secret: true });
  const old = await listed();
  now += LIMITS.deployBindings.formerSecretSeconds * 1000;
  await bind('forgotten', { rotate_secret: true });
  const kept = await listed();
  expect(kept).toEqual([expect.any(String), old[0]]);
  expect(await Promise.all(old.map((ref) => secrets.get(ref)))).toEqual([expect.any(String), undefined]);
  for (let more = 0; more < LIMITS.deployBindings.secrets; more += 1) await bind('forgotten', { rotate_secret: true });
  expect(await listed()).toHaveLength(LIMITS.deployBindings.secrets);
  expect(await Promise.all(kept.map((ref) => secrets.get(ref)))).toEqual([undefined, undefined]);
});

it('a receiver can delay its call by at most an hour', async () => {
  await bind('busy');
  retryAfter = '120';
  expect(await deliver('busy', 'two minutes')).toBe(120);
  retryAfter = '999999';
  expect(await deliver('busy', 'eleven days')).toBe(3_600);
  retryAfter = undefined;
});
