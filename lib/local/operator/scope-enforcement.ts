import { flag } from '../../platform/config/env-fields.ts';
import { Home } from '../run/home.ts';
import type { OperatorTarget } from './operator-registry.ts';

/**
 * Whether scopes limit tokens at a target: on the run of a home as it was started, or as one started in this environment
 * would be. undefined for a deployment, whose stacks don't say.
 */
export async function readScopeEnforcement({ stack, home }: OperatorTarget): Promise<boolean | undefined> {
  if (stack !== undefined) return undefined;
  const running = await (await Home.open(home)).readOperatorInfo();
  return flag.parse((running?.environment ?? process.env).PROMPTQ_API_SCOPE_ENFORCE);
}
