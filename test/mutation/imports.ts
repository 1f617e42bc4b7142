import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** An import or a re-export; of a dynamic one its literal is all that counts. */
const IMPORT = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gms;

/** Which files of the repository import which, values apart from types. */
export class Imports {
  readonly #root: string;
  readonly #known = new Map<string, { readonly values: readonly string[]; readonly all: readonly string[] }>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Files of ours, by their paths from the root; without `types` those whose code runs. */
  of(file: string, { types = true }: { types?: boolean } = {}): readonly string[] {
    let known = this.#known.get(file);
    if (known === undefined) {
      const found = [...readFileSync(join(this.#root, file), 'utf8').matchAll(IMPORT)].flatMap(
        ([, type, literal, dynamic]) => {
          const target = literal ?? dynamic ?? '';
          if (!target.startsWith('.')) return [];
          const path = normalize(join(dirname(file), target));
          return /\.tsx?$/.test(path) && existsSync(join(this.#root, path))
            ? [{ path, isType: type !== undefined }]
            : [];
        },
      );
      known = {
        all: [...new Set(found.map(({ path }) => path))],
        values: [...new Set(found.filter(({ isType }) => !isType).map(({ path }) => path))],
      };
      this.#known.set(file, known);
    }
    return types ? known.all : known.values;
  }

  /** How many imports lead from some files to each that they need; 0: the files themselves. */
  stepsFrom(files: readonly string[], options: { types?: boolean; most?: number } = {}): ReadonlyMap<string, number> {
    const steps = new Map(files.map((file) => [file, 0]));
    let edge: readonly string[] = files;
    for (let step = 1; edge.length > 0 && step <= (options.most ?? Infinity); step += 1) {
      const next = new Set(edge.flatMap((file) => this.of(file, options)).filter((file) => !steps.has(file)));
      for (const file of next) steps.set(file, step);
      edge = [...next];
    }
    return steps;
  }
}

/** Files of the repository by a pattern, in order. */
export function filesOf(root: string, ...patterns: readonly string[]): string[] {
  return globSync([...patterns], { cwd: root }).toSorted();
}
