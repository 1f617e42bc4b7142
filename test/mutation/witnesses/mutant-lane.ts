import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as worlds from '../../simulation/worlds/run-worlds.ts';

/** One mutated source, and the worlds that run with it; `mutate.ts` sends it to this separate process. */
export interface Look {
  /** Another one each time: modules are loaded once under each. */
  readonly number: number;
  /** Absolute. */
  readonly path: string;
  readonly source: string;
  readonly seed: number;
  readonly lives: number;
}

/** What the worlds showed: the first that broke, with what it broke; or nothing. */
export type Seen = { readonly violation?: string };

/** The project's modules are loaded again for each mutant, the others once: a mutant costs no start of a process. */
const stripped = new Map<string, string>();
let current: Look | undefined;

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const mark = /\?look=\d+$/.exec(context.parentURL ?? '')?.[0];
    return mark !== undefined && specifier.startsWith('.') ? { ...resolved, url: `${resolved.url}${mark}` } : resolved;
  },
  load(url, context, next) {
    if (!/\?look=\d+$/.test(url)) return next(url, context);
    const path = fileURLToPath(url.replace(/\?.*$/, ''));
    if (path === current?.path)
      return { format: 'module', source: stripTypeScriptTypes(current.source), shortCircuit: true };
    const source = stripped.get(path) ?? stripTypeScriptTypes(readFileSync(path, 'utf8'));
    stripped.set(path, source);
    return { format: 'module', source, shortCircuit: true };
  },
});

process.on('message', (look: Look) => void answer(look));
// The caller has exited.
process.on('disconnect', () => process.exit());

async function answer(look: Look): Promise<void> {
  const { number, seed, lives } = look;
  current = look;
  // Worlds throw thousands of errors that are never read.
  Error.stackTraceLimit = 0;
  const { runWorlds } = (await import(`../../simulation/worlds/run-worlds.ts?look=${number}`)) as typeof worlds;
  const { broken } = await runWorlds({ seed, step: 1, lives, milliseconds: Infinity, enough: 1 });
  const [first] = broken;
  const violation = first && `seed ${first.seed}: ${first.violations[0]}`;
  process.send?.({ ...(violation !== undefined && { violation }) } satisfies Seen);
}
