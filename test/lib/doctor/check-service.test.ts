import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Finding } from '../../../lib/doctor/finding.ts';
import { checkService } from '../../../lib/doctor/service/check-service.ts';
import { withService } from './stand-in-service.ts';

const NOW = Date.parse('2026-03-04T05:06:07.000Z');
const DAY = 86_400_000;
const SCOPES = ['read', 'write', 'logs', 'attachments', 'admin'];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const fine = { status: 'ok' };
const HEALTH = {
  version: '1.2.3',
  time: new Date(NOW).toISOString(),
  checks: { table: fine, queues: fine, storage: fine, workers: fine } as Record<string, object>,
};
const SESSION = { name: 'ci', scopes: SCOPES as string[] | null, expires_at: null as string | null };
const ENVIRONMENT = { service: { scope_enforcement: true } };

interface Answers {
  readonly health?: object;
  readonly session?: object | undefined;
  readonly environment?: object | undefined;
  readonly status?: number;
  readonly isLocal?: boolean;
}

/** What the doctor finds at a service that answers so; a path without an answer is refused. */
async function look(answers: Answers) {
  const { status = 200, isLocal = true } = answers;
  const bodies: Record<string, object | undefined> = {
    'GET /api/v1/health': { ...HEALTH, ...answers.health },
    'GET /api/v1/session': 'session' in answers ? answers.session : SESSION,
    'GET /api/v1/environment': 'environment' in answers ? answers.environment : ENVIRONMENT,
  };
  const answer = (request: string) => {
    const body = bodies[request];
    if (body === undefined) return { status: 500, body: { error: 'internal', request_id: 'r-1' } };
    return status === 200 ? { status, body } : { status, body: { error: 'refused', request_id: 'r-1' } };
  };
  return await withService({ answer, isLocal }, async (service) => {
    const { findings, facts } = await checkService(service, '1.2.3');
    const told = (text: string) => text.replaceAll(service.baseUrl, 'URL');
    return { facts, findings: findings.map((one): Finding => ({ ...one, message: told(one.message) })) };
  });
}
async function findingOf(check: string, answers: Answers) {
  return (await look(answers)).findings.filter((one) => one.check === check);
}

it('all is well with a service of this version that answers at the same time and takes an admin token', async () => {
  const { facts, findings } = await look({});
  expect(facts).toEqual({ health: HEALTH, environment: ENVIRONMENT });
  expect(findings.map(({ check, state, message }) => `${state} ${check}: ${message}`)).toEqual([
    'ok service: answers at URL',
    'ok version: 1.2.3',
    'ok clock: is the same as here',
    'ok table: answers',
    'ok queues: answers',
    'ok storage: answers',
    'ok workers: answers',
    'ok token: ci may do everything',
  ]);
});

describe('a service that refuses', () => {
  it.each([
    [401, 'token', 'the service at URL does not take this token', /expired, suspended or revoked/],
    [403, 'token', 'GET /health was answered 403 "refused", request r-1', /lacks the scope read/],
    [500, 'service', 'URL: GET /health was answered 500 "refused", request r-1', /^Start it with/],
  ])('with %s is the only finding', async (status, check, message, advice) => {
    const { facts, findings } = await look({ status });
    expect(facts).toBeUndefined();
    expect(findings).toEqual([{ check, state: 'fault', message, advice: expect.stringMatching(advice) }]);
  });
});

it('a clock may be off by less than five seconds, and by less than five minutes with a warning', async () => {
  const states: string[] = [];
  for (const off of [4_999, 5_000, 299_999, 300_000])
    for (const sign of [-1, 1]) {
      const [found] = await findingOf('clock', { health: { time: new Date(NOW + sign * off).toISOString() } });
      states.push(`${found?.state} ${found?.message.split(' ').slice(-2).join(' ')}`);
    }
  expect(states).toEqual([
    ...Array(2).fill('ok as here'),
    ...Array(2).fill('warning 5 s'),
    ...Array(2).fill('warning 5 min'),
    ...Array(2).fill('fault 5 min'),
  ]);
});

describe('the token', () => {
  const token = async (session: object, environment: object | undefined = ENVIRONMENT) => {
    const [found] = await findingOf('token', { session: { ...SESSION, ...session }, environment });
    return `${found?.state}: ${found?.message}`;
  };
  const expiring = (left: number) => ({ expires_at: new Date(NOW + left).toISOString() });

  it('should be replaced in the week before it expires', async () => {
    expect(await token(expiring(7 * DAY))).toBe('ok: ci may do everything');
    expect(await token(expiring(7 * DAY - 1))).toBe('warning: ci expires in 7 days');
    expect(await token({ ...expiring(60_000), scopes: ['read'] })).toBe('warning: ci expires in 60 s');
  });
});
