import { SCOPES } from '../../contract/scopes.ts';
import { type Finding, fault, inWords, ok, span, warning } from '../finding.ts';
import { dataOf, RefusedError, type Schemas, type Service } from './service.ts';

/** Clock differences (ms): from the first on, a warning; from the second on, AWS rejects this machine's signatures. */
const CLOCK = { noticed: 5_000, refused: 300_000 } as const;

/** Milliseconds before a token's expiry in which it should be replaced. */
const EXPIRES_SOON_MS = 7 * 86_400_000;

const ADVICE: Readonly<Record<keyof Schemas['Health']['checks'], string>> = {
  table: 'See whether the tables are there and the functions may use them; locally restart the run.',
  queues: 'See whether the queues are there and the functions may use them; locally restart the run.',
  storage: 'See whether the bucket is there and the functions may use it; locally restart the run.',
  workers: 'The registry table did not answer as it should: see the log of the function health.read.',
};

/** The information from a service that responds. */
interface ServiceFacts {
  readonly health: Schemas['Health'];
  readonly environment: Schemas['Environment'] | undefined;
}

/**
 * Checks whether the service accepts this token, and what it reports.
 * @param version of this checkout
 * @returns no facts if the checks that need them can't succeed
 */
export async function checkService(
  service: Service,
  version: string,
): Promise<{ findings: Finding[]; facts: ServiceFacts | undefined }> {
  const sentAt = Date.now();
  let health: Schemas['Health'];
  try {
    health = await dataOf('GET /health', service.api.GET('/api/v1/health'));
  } catch (error) {
    return { findings: [unreachable(service, error)], facts: undefined };
  }
  const environment = await dataOf('GET /environment', service.api.GET('/api/v1/environment')).catch(() => undefined);
  const findings = [
    ok('service', `answers at ${service.baseUrl}`),
    checkVersion(service, health.version, version),
    checkClock(health.time, sentAt, Date.now()),
    ...checkParts(health.checks),
    await checkToken(service, environment),
  ];
  return { findings, facts: { health, environment } };
}

function unreachable(service: Service, error: unknown): Finding {
  const status = error instanceof RefusedError ? error.status : undefined;
  if (status === 401)
    return fault(
      'token',
      `the service at ${service.baseUrl} does not take this token`,
      'It is wrong, expired, suspended or revoked: `npm run token -- list`, then `npm run token -- create` for another one.',
    );
  if (status === 403)
    return fault(
      'token',
      inWords(error),
      'The token lacks the scope read, or the request did not come through CloudFront.',
    );
  return fault(
    'service',
    `${service.baseUrl}: ${inWords(error)}`,
    service.isLocal
      ? 'Start it with `npm start`; its output and logs/api.log of its home show why it ended.'
      : 'Check the address (ConsoleUrl of the outputs), then the log of the function health.read.',
  );
}

function checkVersion(service: Service, running: string, version: string): Finding {
  if (running === version) return ok('version', running);
  const update = service.isLocal ? 'restart it (Ctrl-C, `npm start`)' : 'deploy (`npx cdk deploy --all`)';
  return warning(
    'version',
    `the service runs ${running}, this checkout is ${version}`,
    `If it should run this one: ${update}.`,
  );
}

function checkClock(time: string, sentAt: number, receivedAt: number): Finding {
  const theirs = Date.parse(time);
  const off = theirs < sentAt ? sentAt - theirs : Math.max(0, theirs - receivedAt);
  const differ = `this machine's clock and the service's differ by ${span(off)}`;
  if (off >= CLOCK.refused) return fault('clock', differ, 'Set this clock (NTP): AWS refuses what it signs.');
  if (off >= CLOCK.noticed) return warning('clock', differ, 'Set this clock (NTP).');
  return ok('clock', 'is the same as here');
}

function checkParts(checks: Schemas['Health']['checks']): Finding[] {
  return (Object.keys(ADVICE) as (keyof typeof ADVICE)[]).map((name) => {
    const { status, message } = checks[name];
    return status === 'ok' ? ok(name, 'answers') : fault(name, message ?? 'does not answer', ADVICE[name]);
  });
}

async function checkToken(service: Service, environment: Schemas['Environment'] | undefined): Promise<Finding> {
  const caller = await dataOf('GET /session', service.api.GET('/api/v1/session')).catch(() => undefined);
  if (caller === undefined) return warning('token', 'the service does not say whose it is', 'Look at its log.');
  const { scopes, expires_at: expiresAt, name } = caller;
  const leftMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - Date.now();
  if (leftMs < EXPIRES_SOON_MS)
    return warning('token', `${name} expires in ${span(leftMs)}`, 'Create its successor: `npm run token -- create`.');
  const isLimited = environment?.service.scope_enforcement !== false && scopes?.includes('admin') === false;
  const missing = isLimited ? SCOPES.filter((scope) => scope !== 'admin' && !scopes.includes(scope)) : [];
  if (isLimited)
    return warning(
      'token',
      `${name} has ${scopes.join(', ')}${missing.length > 0 ? `, not ${missing.join(', ')}` : ''}: what takes admin is not looked at`,
      'Use a token with the scope admin to have everything looked at.',
    );
  return ok('token', `${name} may do everything`);
}
