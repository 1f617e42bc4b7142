import { dataOf } from '../../client/data-of.ts';
import { RequestError } from '../../client/errors.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import type { Scope } from '../../contract/scopes.ts';
import { CommandError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';

/**
 * Checks that the token has all scopes that a command needs, before the command changes anything.
 * @throws CommandError that names the missing ones
 */
export async function checkScopes(client: Promptq, needed: readonly Scope[]): Promise<void> {
  const lack = lackOf(await readCaller(client), needed);
  if (lack !== undefined) throw new CommandError(EXIT.notAllowed, lack);
}

/**
 * The sentence on the scopes that a caller lacks before it creates anything; undefined: it has all.
 * @param caller undefined if its token may not read
 */
export function lackOf(caller: Schemas['Caller'] | undefined, needed: readonly Scope[]): string | undefined {
  const missing = needed.filter((scope) => !hasScope(caller, scope));
  if (missing.length === 0) return undefined;
  const noun = missing.length === 1 ? 'scope' : 'scopes';
  return `the token lacks the ${noun} ${missing.join(', ')}; nothing was created`;
}

/** @returns undefined if the token may not read */
async function readCaller(client: Promptq): Promise<Schemas['Caller'] | undefined> {
  return await dataOf(client.api.GET('/api/v1/session')).catch((error: unknown) => {
    if (error instanceof RequestError && error.status === 403) return undefined;
    throw error;
  });
}

function hasScope(caller: Schemas['Caller'] | undefined, scope: Scope): boolean {
  if (caller === undefined) return scope !== 'read';
  const { kind, scopes, scopes_enforced: isEnforced } = caller;
  if (kind !== 'token' || !isEnforced || scopes === null) return true;
  return scopes.includes(scope) || scopes.includes('admin');
}
