import { SIGNAL_KIND, WRITTEN_KINDS } from '../../../lib/platform/aws/tables.ts';
import type { Actor } from '../model/client.ts';

/** The kinds that each process may put and delete, by what it does; the API's functions are compared elsewhere. */
const MAY_WRITE: Readonly<Record<string, readonly string[]>> = {
  work: WRITTEN_KINDS.worker,
  watch: WRITTEN_KINDS.reconciler,
};

interface TableInput {
  readonly TableName?: string;
  readonly Item?: { readonly kind?: string };
  readonly Key?: { readonly kind?: string };
  readonly TransactItems?: readonly Readonly<Record<string, TableInput>>[];
}

/** What the role of a process does not allow of a command, although its code does it; undefined: nothing. */
export function faultOfGrant(command: string, input: TableInput, actor: Actor, registry: string): string | undefined {
  const kinds = MAY_WRITE[actor.doing];
  if (kinds === undefined) return undefined;
  const parts = input.TransactItems?.flatMap((item) => Object.entries(item)) ?? [[command, input] as const];
  for (const [name, { TableName, Item, Key }] of parts) {
    const isWrite = /^(?:Put|Update|Delete)/.test(name);
    const kind = Item?.kind ?? Key?.kind ?? '';
    if (TableName !== registry || !isWrite) continue;
    if (name.startsWith('Update') && kind === SIGNAL_KIND) continue;
    if (name.startsWith('Update') || !kinds.some((pattern) => fits(pattern, kind)))
      return `${actor.id} may not ${name} ${kind}: its role does not allow it`;
  }
  return undefined;
}

/** As IAM's StringLike, of patterns that end with their only `*`. */
function fits(pattern: string, kind: string): boolean {
  return pattern.endsWith('*') ? kind.startsWith(pattern.slice(0, -1)) : kind === pattern;
}
