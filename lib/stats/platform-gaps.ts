import type { PlatformView } from '../contract/schemas/platform.ts';
import { SCOPE_FAMILIES } from '../contract/scope-families.ts';

type Gap = PlatformView['missing'][number];

/** What each family of routes without routes is for. A family that gets routes leaves `SCOPE_FAMILIES`. */
const FAMILIES: Readonly<Record<string, string>> = {
  'terminal-sessions': 'A person can send messages to an agent, and has no terminal on its worker.',
};

/** Other things that clients may look for. */
const OTHERS: readonly Gap[] = [
  { name: 'hooks', reason: 'An automation starts by its schedule or by a request, by nothing else.' },
  { name: 'model-gateway', reason: 'Agents call their vendors directly, so single calls are not recorded or limited.' },
  { name: 'model-prices', reason: 'There is no table of prices. A job has the cost that its agent reports.' },
  { name: 'output-schemas', reason: "An agent's answer is a text: no job can ask for JSON of a schema." },
  { name: 'parquet', reason: 'An export is JSON lines or CSV, from which other programs make Parquet.' },
  { name: 'pull-requests', reason: 'Changes are read as a diff. The service pushes to no repository.' },
  { name: 'notifications', reason: 'The end of a job is sent by a deploy binding only.' },
];

/** What this version does not have, by name. */
export function platformGaps(): Gap[] {
  const families = Object.keys(SCOPE_FAMILIES).flatMap((name) => {
    const reason = FAMILIES[name];
    return reason === undefined ? [] : [{ name, reason }];
  });
  return [...families, ...OTHERS].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
