import { expect, it } from 'vitest';
import { examineService } from '../../../lib/doctor/service/examine-service.ts';
import { withService } from './stand-in-service.ts';

const fine = { status: 'ok' };
const time = new Date().toISOString();
const ANSWERS: Readonly<Record<string, object>> = {
  'GET /api/v1/health': { version: '1', time, checks: { table: fine, queues: fine, storage: fine, workers: fine } },
  'GET /api/v1/session': { name: 'ci', scopes: null, expires_at: null },
  'GET /api/v1/environment': {
    ...{ time, hosts: [], jobs: { QUEUED: 0, RUNNING: 0 }, profiles: [{ name: 'shell' }] },
    service: { version: '1', default_profile: 'shell', scope_enforcement: true },
  },
  'GET /api/v1/jobs': { items: [], total: 0 },
  'GET /api/v1/codex-account': { logged_in: true },
  'POST /api/v1/jobs': { id: 'job_1' },
  'GET /api/v1/jobs/job_1/status': { status: 'FAILED', terminal: true, state_reason: { code: 'exited', message: '' } },
};

/** What is found at a service that refuses these paths. */
async function found(refused: readonly string[] = [], { job = false } = {}) {
  const answer = (request: string) => {
    const [route = ''] = request.split('?');
    const body = refused.includes(route) ? undefined : ANSWERS[route];
    return body === undefined ? { status: 500, body: { error: 'internal_error' } } : { status: 200, body };
  };
  const trial = job ? { profile: 'shell', timeoutMs: 0 } : undefined;
  const findings = await withService({ answer, isLocal: false }, (service) =>
    examineService(service, { version: '1', job: trial }),
  );
  return findings.map(({ check, state }) => (state === 'ok' ? check : `${state} ${check}`));
}
const SERVICE = ['service', 'version', 'clock', 'table', 'queues', 'storage', 'workers', 'token'];
const REST = ['workers', 'profiles', 'waiting jobs', 'questions', 'account'];

it('all parts of a service are looked at, and a job is run only if wanted', async () => {
  expect(await found()).toEqual([...SERVICE, ...REST]);
  expect(await found([], { job: true })).toEqual([...SERVICE, ...REST, 'fault job']);
});

it('each check that fails is a fault, and the others go their way', async () => {
  const refused = ['GET /api/v1/jobs', 'GET /api/v1/codex-account', 'POST /api/v1/jobs'];
  const faults = ['waiting jobs', 'questions', 'account', 'job'].map((check) => `fault ${check}`);
  expect(await found(refused, { job: true })).toEqual([...SERVICE, 'workers', 'profiles', ...faults]);
});

it('without its environment or its health a service is looked at no further', async () => {
  expect(await found(['GET /api/v1/environment'])).toEqual([...SERVICE, 'warning environment']);
  expect(await found(['GET /api/v1/health'])).toEqual(['fault service']);
});
