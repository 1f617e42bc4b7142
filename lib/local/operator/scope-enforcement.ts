import { flag } from '../../platform/config/env-fields.ts';
import { Home } from '../run/home.ts';
import type { OperatorTarget } from './operator-registry.ts';

/**
 * Whether scopes limit tokens at a target: in a home's current run, or in one started from this environment. undefined
 * for a deployment, whose stacks don't expose it.
 */
export async function readScopeEnforcement({ stack, home }: OperatorTarget): Promise<boolean | undefined> {
  if (stack !== undefined) return undefined;
  const running = await (await Home.open(home)).readOperatorInfo();
  return flag.parse((running?.environment ?? process.env).PROMPTQ_API_SCOPE_ENFORCE);
}
