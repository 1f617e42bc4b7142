import { Logger } from '@aws-lambda-powertools/logger';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { AuditLog } from '../../access/audit-log.ts';
import type { Verifiers } from '../../access/authenticate.ts';
import { callerAddress } from '../../access/caller-address.ts';
import { DeploymentSecrets, secretSource } from '../../access/deployment-secrets.ts';
import { verifyPerimeter } from '../../access/perimeter.ts';
import { ServiceEndpoints } from '../../access/service-endpoints.ts';
import { SessionStore } from '../../access/sessions/session-store.ts';
import { telegramUsers, verifyTelegram } from '../../access/telegram.ts';
import { TokenRate } from '../../access/tokens/token-rate.ts';
import { TokenStore } from '../../access/tokens/token-store.ts';
import type { Role } from '../../contract/roles.ts';
import { tableClient } from '../../platform/aws/clients.ts';
import type { TableClock } from '../../platform/aws/table-clock.ts';
import { type ApiEnv, apiEnv } from '../../platform/config/api-env.ts';
import { readEnv } from '../../platform/config/read-env.ts';
import { type Registry, registryOf } from '../../platform/registry.ts';

/** The services of every API function; created once per process. */
export interface Core {
  readonly env: ApiEnv;
  /** Whether all accepted requests come through the deployment's own distribution, by TLS. */
  readonly behindCloudFront: boolean;
  readonly table: DynamoDBDocumentClient;
  readonly registry: Registry & { readonly clock: TableClock };
  readonly clock: TableClock;
  readonly tokens: TokenStore;
  readonly audit: AuditLog;
  readonly secrets: DeploymentSecrets;
  /** Allowed Telegram users and their roles, by user id. */
  readonly telegramUsers: ReadonlyMap<string, Role>;
  readonly tokenRate: TokenRate;
  readonly sessions: SessionStore;
  /** The service's public origin and its identity provider. */
  readonly serviceEndpoints: ServiceEndpoints;
  readonly log: Logger;
}

let core: Core | undefined;

/** @throws Error that lists every fault of the environment. */
export function getCore(): Core {
  core ??= createCore();
  return core;
}

function createCore(): Core {
  const env = readEnv(apiEnv);
  const { table, clock } = tableClient();
  const log = new Logger({ serviceName: 'promptq-api' });
  const registry = registryOf({ table, clock, env });
  const sessions = new SessionStore({
    ...registry,
    idleSeconds: env.PROMPTQ_SESSION_IDLE_SECONDS,
    maxSeconds: env.PROMPTQ_SESSION_MAX_SECONDS,
  });
  return {
    env,
    behindCloudFront: env.PROMPTQ_ORIGIN_DIGESTS.length > 0,
    table,
    registry,
    clock,
    tokens: new TokenStore(registry),
    sessions,
    audit: new AuditLog({ ...registry, log }),
    secrets: new DeploymentSecrets(secretSource(env.PROMPTQ_SECRETS)),
    telegramUsers: telegramUsers(env.PROMPTQ_TELEGRAM_USERS),
    tokenRate: new TokenRate(env.PROMPTQ_TOKEN_RATE),
    serviceEndpoints: new ServiceEndpoints(env),
    log,
  };
}

/** The verifiers of each kind of principal. */
export function createVerifiers({
  tokens,
  sessions,
  secrets,
  telegramUsers,
  clock,
  env,
  behindCloudFront,
}: Core): Verifiers {
  return {
    token: async (text) => {
      const token = await tokens.verify(text);
      if (token === undefined) return undefined;
      const { id, name, scopes, lineage, expires_at: expiresAt } = token;
      const known = { name: `token:${name}`, id, scopes, keyOwner: `token ${lineage}` };
      return { kind: 'token', ...known, ...(expiresAt !== undefined && { expiresAt }) };
    },
    perimeter: async (_token, { event, headers }) => {
      const address = callerAddress(event, { behindCloudFront });
      return await verifyPerimeter({ headers, address }, { secrets, sources: env.PROMPTQ_PERIMETER_SOURCES });
    },
    telegram: async (_initData, { headers }) =>
      await verifyTelegram({ headers }, { secrets, users: telegramUsers, now: () => clock.now() }),
    session: async (cookie) => {
      const session = await sessions.verify(cookie);
      if (session === undefined) return undefined;
      const { id, name, subject, email, role, expires_at: expiresAt } = session;
      const known = { name, role, sessionId: id, expiresAt, keyOwner: `user ${subject}` };
      return { kind: 'session', ...known, ...(email !== undefined && { email }) };
    },
  };
}
