import { type TokenInfo, TokenStore } from '../../access/tokens/token-store.ts';
import { quoted } from '../../contract/input/legible.ts';
import { BASE_PATH, type Route } from '../../contract/route.ts';
import { routes } from '../../contract/routes/routes.ts';
import { SCOPES, type Scope } from '../../contract/scopes.ts';
import type { OperatorRegistry } from '../../local/operator/operator-registry.ts';
import { type Finding, ok, warning } from '../finding.ts';
import type { Service } from './service.ts';

const CHECK = 'token scopes';
const TABLE: readonly Route[] = routes;

/** The state of scope enforcement. */
export interface EnforcementFacts {
  /** As the running service reports it; undefined: the service was not asked, or did not answer. */
  readonly isEnforced: boolean | undefined;
  /** Whether the settings of this checkout enable it with the next deployment. */
  readonly comesWithDeployment: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Reads a registry's tokens, and asks its service, if any, whether scopes are enforced. */
export async function examineTokens(
  registry: OperatorRegistry,
  { service, comesWithDeployment = false }: { service: Service | undefined; comesWithDeployment?: boolean },
): Promise<Finding[]> {
  const tokens = await new TokenStore(registry).list();
  const answer = await service?.api.GET('/api/v1/environment').catch(() => undefined);
  const isEnforced = answer?.data?.service.scope_enforcement;
  return checkTokens(tokens, { isEnforced, comesWithDeployment, now: registry.clock.now() });
}

/** Lists the valid tokens that scope enforcement would restrict, one finding for each set of scopes. */
export function checkTokens(tokens: readonly TokenInfo[], facts: EnforcementFacts): Finding[] {
  if (facts.isEnforced) return [ok(CHECK, 'are enforced')];
  const limited = tokens.filter((token) => isValid(token, facts.now) && !token.scopes.includes('admin'));
  if (limited.length === 0) return [ok(CHECK, 'no token loses anything when enforcement is switched on')];
  const when = facts.comesWithDeployment
    ? 'The next deployment switches enforcement on (`scopeEnforcement` in cdk.json).'
    : 'This matters before you set `scopeEnforcement` (locally PROMPTQ_API_SCOPE_ENFORCE=1).';
  const advice = `${when} Replace tokens that need these routes: \`npm run token -- create --scopes …\`.`;
  const groups = Map.groupBy(limited, ({ scopes }) => SCOPES.filter((scope) => scopes.includes(scope)).join(', '));
  return [...groups].map(([scopes, group]) => {
    const lost = SCOPES.filter((scope) => !scopes.split(', ').includes(scope)).map(routesOf);
    const loss = `with enforcement they lose ${lost.join('; ')}`;
    return warning(CHECK, `${group.map(described).join(', ')} have ${scopes}; ${loss}`, advice);
  });
}

function isValid({ state, expires_at: expiresAt }: TokenInfo, now: number): boolean {
  return state === 'active' && (expiresAt === undefined || Date.parse(expiresAt) > now);
}

function described({ id, name, last_used_at: usedAt }: TokenInfo): string {
  return `${quoted(name)} (${id}, ${usedAt === undefined ? 'never used' : `last used ${usedAt}`})`;
}

/** `logs: GET /api/v1/jobs/{id}/result, …`, without the routes that need no token. */
function routesOf(scope: Scope): string {
  const taken = TABLE.filter(({ auth }) => auth.scope === scope && auth.only === undefined);
  return `${scope}: ${taken.map(({ method, path }) => `${method} ${BASE_PATH}${path}`).join(', ')}`;
}
