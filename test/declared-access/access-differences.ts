import { doors } from '../../lib/contract/routes/routes.ts';
import { declaredAccess } from './needed-access.ts';

const DECLARED = doors.flatMap((route) => declaredAccess(route).map((one) => `${route.id} ${one}`));

/** A right to write contains that to read, and every removal one to delete objects. */
const ALLOWED = new Set(
  DECLARED.flatMap((line) => [
    line,
    line.replace(/ (\w+): write$/, ' $1: read'),
    line.replace(/ removal: \w+$/, ' removal: objects'),
  ]),
);

/** @param used lines `function access` of `record-calls.ts` */
export function undeclaredAccess(used: readonly string[]): string[] {
  return used.filter((line) => !ALLOWED.has(line)).toSorted();
}
