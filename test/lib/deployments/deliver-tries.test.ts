import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { BindingSecretStore } from '../../../lib/bindings/binding-secrets.ts';
import type { DeployBinding } from '../../../lib/bindings/deploy-binding.ts';
import type { Delivery } from '../../../lib/deployments/calls/delivery-queue.ts';
import { deliverCall } from '../../../lib/deployments/deliver-call.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import { startReceiver } from '../../api/catalog/webhook-receiver.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { due as effects } from '../jobs/due-effects.ts';

const ID = 'job_00000000000000000000000001';
const BEFORE = '2026-11-20T09:59:00.000Z';
const NOW = '2026-11-20T10:00:00.000Z';
const MESSAGE = { v: 1, job: ID, attempt: 1, binding: 'local_project.call' } as const;
const SECRETS = [1, 2, 3].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`);

let receiver: Awaited<ReturnType<typeof startReceiver>>;
let answers: (readonly [status: number, headers?: Record<string, string>])[] = [];
let onCall: () => void;
beforeAll(async () => {
  receiver = await startReceiver(() => {
    onCall();
    return answers.shift() ?? [200];
  });
});
beforeEach(() => {
  answers = [];
  onCall = () => undefined;
});
afterAll(async () => await receiver.stop());

/** A job whose call is due, to its own path of the receiver. */
async function due(path: string, known: Partial<JobDeployment> = {}, binding: Partial<DeployBinding> = {}, lag = 0) {
  const deployment = quietDeployment({ lag });
  const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at: BEFORE } as const;
  const job = await deployment.store({ id: ID, ...ended, effects: effects({ calls: [1] }) });
  const secrets = new BindingSecretStore(deployment.registry);
  const refs = await Promise.all(SECRETS.map(async (secret) => await secrets.put(secret)));
  const untils = [undefined, '2026-11-20T10:00:00.001Z', NOW];
  await deployment.bindings.replace(undefined, {
    ...{ id: MESSAGE.binding, project_id: 'local_project', project: 'local_project', name: 'call' },
    ...{ binding_mode: 'generic', target_url: `${receiver.url}/${path}`, created_at: BEFORE, updated_at: BEFORE },
    ...{ secrets: refs.map((ref, at) => ({ ref, until: untils[at] })), ...binding },
  });
  await deployment.deployments.replace(undefined, {
    ...{
      job_id: ID,
      attempt: 1,
      binding: MESSAGE.binding,
      name: 'call',
      mode: 'generic',
      state: 'pending',
      attempts: 0,
    },
    ...{ created_at: BEFORE, due_at: NOW, payload: '{"a":1}', ...known },
  });
  const dead: Delivery[] = [];
  const bury = async (delivery: Delivery) => void dead.push(delivery);
  const deliveries = Object.create(deployment.deliveries, {
    moveToDeadLetters: { value: bury },
  }) as typeof deployment.deliveries;
  const context = { ...deployment, deliveries, secrets, reach: { loopback: true }, pauses: [10, 100] };
  const deliver = async (message: Partial<Delivery> = {}, changes: Partial<typeof context> = {}) =>
    await deliverCall({ ...context, ...changes }, { ...MESSAGE, ...message });
  const read = async () => (await deployment.deployments.list(ID))[0];
  const pending = async () => (await deployment.read(job))?.effects?.map(({ attempt }) => attempt);
  const calls = () => receiver.to(`/${path}`);
  return { deployment, secrets, deliver, read, pending, calls, dead };
}

it.each<[what: string, known: Partial<JobDeployment>, message: Partial<Delivery>, wait: number | undefined]>([
  ['it is due in 5 s', { due_at: '2026-11-20T10:00:05.000Z' }, {}, 5],
  ['it is due in 1 ms', { due_at: '2026-11-20T10:00:00.001Z' }, {}, 0.001],
  ['it has failed', { state: 'failed' }, {}, undefined],
  ['it has failed, and the message says that it was not given up', { state: 'failed' }, { given_up: false }, undefined],
  ['it was delivered, although it was given up before', { state: 'delivered' }, { given_up: true }, undefined],
  ['it is a command', { payload: undefined, mode: 'custom' }, {}, undefined],
  ['it is of another attempt', {}, { attempt: 2 }, undefined],
  ['it is of another binding', {}, { binding: 'local_project.other' }, undefined],
])('a message makes no call unless one is due: %s', async (what, known, message, wait) => {
  const { deliver, read, calls } = await due(encodeURIComponent(what), known);
  const before = await read();
  expect(await deliver(message)).toBe(wait);
  expect([await read(), calls()]).toEqual([before, []]);
});

it.each<[path: string, binding: Partial<DeployBinding>, error: string]>([
  ['off', { disabled_reason: 'It was switched off.' }, 'It was switched off.'],
  ['without-address', { target_url: undefined }, 'The binding was changed.'],
  ['with-command', { binding_mode: 'custom', command: 'make' }, 'The binding was changed.'],
  ['deleted', { id: 'local_project.other' }, 'The binding was deleted.'],
])('no call is made for a binding that no longer calls: %s', async (path, binding, error) => {
  const { deployment, deliver, read, pending, calls } = await due(path, {}, binding);
  // Otherwise the other one would be the binding whose record is missing.
  const other = await deployment.bindings.get('local_project.other');
  if (other !== undefined) await deployment.bindings.delete(other);
  expect(await deliver()).toBeUndefined();
  expect(await read()).toMatchObject({ state: 'skipped', error, finished_at: NOW, attempts: 0 });
  expect([await pending(), calls()]).toEqual([undefined, []]);
});

it('a call that another process makes at the same time is left to it for a minute', async () => {
  const { deployment, deliver, read, calls } = await due('taken');
  const known = await read();
  const get = async () => {
    if (known !== undefined) await deployment.deployments.replace(known, { ...known, attempts: 1 });
    return known;
  };
  const deployments = Object.create(deployment.deployments, {
    get: { value: get },
    replace: { value: deployment.deployments.replace.bind(deployment.deployments) },
  }) as typeof deployment.deployments;
  expect(await deliver({}, { deployments })).toBe(60);
  expect(calls()).toEqual([]);
});

it('a failed call is made again after each pause, from 80 % to 120 % of it, then given up', async () => {
  const { deployment, deliver, read, pending, calls, dead } = await due('failing');
  answers = [[500], [300], [404]];
  expect(await deliver({}, { random: () => 0 })).toBeCloseTo(8, 9);
  const waits = { state: 'pending', attempts: 1, error: 'Answered with status 500.', last_status: 500 };
  expect(await read()).toMatchObject({ ...waits, started_at: NOW, due_at: '2026-11-20T10:00:08.000Z' });
  await deployment.pass(8_000);
  expect(await deliver({}, { random: () => 1 })).toBeCloseTo(120, 9);
  const second = { attempts: 2, error: 'Answered with status 300.', last_status: 300, started_at: NOW };
  expect(await read()).toMatchObject({ ...second, due_at: '2026-11-20T10:02:08.000Z' });
  expect([await pending(), dead]).toEqual([[1], []]);
  await deployment.pass(120_000);
  expect(await deliver()).toBeUndefined();
  const end = { state: 'failed', attempts: 3, error: 'Answered with status 404.', last_status: 404 };
  expect(await read()).toMatchObject({ ...end, started_at: NOW, finished_at: '2026-11-20T10:02:08.000Z' });
  expect([await pending(), dead]).toEqual([undefined, [MESSAGE]]);
  expect(new Set(calls().map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

it.each<[status: number, after: string, wait: number]>([
  [503, '9', 10],
  [503, '11', 11],
  [429, '3601', 3_600],
])('a receiver that answers %s can ask for a longer pause, up to an hour: %s', async (status, after, wait) => {
  const { deliver, read } = await due(`later-${after}`);
  answers = [[status, { 'retry-after': after }]];
  expect(await deliver()).toBe(wait);
  expect((await read())?.due_at).toBe(new Date(Date.parse(NOW) + wait * 1000).toISOString());
});

it('a receiver that answers 410 is called no further: its binding is switched off', async () => {
  const { deployment, deliver, read, pending, dead } = await due('gone');
  answers = [[410]];
  expect(await deliver()).toBeUndefined();
  const error = 'Answered with status 410. The binding was switched off.';
  expect(await read()).toMatchObject({ state: 'failed', error, last_status: 410, finished_at: NOW });
  const disabled_reason = 'The receiver answered 410: it wants no more calls.';
  expect(await deployment.bindings.get(MESSAGE.binding)).toMatchObject({ disabled_reason, updated_at: NOW });
  expect([await pending(), dead]).toEqual([undefined, []]);
});
