import { pages, routes } from '../../lib/contract/routes/routes.ts';
import { declaredAccess } from './needed-access.ts';

/** Rights that a local run has no AWS for, so that no call can be seen; test/lib/stacks/iam holds who has them. */
const NOT_LOCAL = ['loginCode', 'clientSecret', 'scaling'];

const DECLARED = [...routes, ...pages].flatMap((route) => declaredAccess(route).map((one) => `${route.id} ${one}`));

/** A right to write contains that to read. */
const ALLOWED = new Set(DECLARED.flatMap((line) => [line, line.replace(/ (\w+): write$/, ' $1: read')]));

/** @param used lines `function access` of `record-calls.ts` */
export function undeclaredAccess(used: readonly string[]): string[] {
  return used.filter((line) => !ALLOWED.has(line)).toSorted();
}

/** What the table declares and nothing has used, in the same lines. */
export function unusedAccess(used: readonly string[]): string[] {
  const isLocal = (line: string) => !NOT_LOCAL.some((resource) => line.includes(` ${resource}: `));
  return DECLARED.filter((line) => !used.includes(line) && isLocal(line)).toSorted();
}
