import { basename } from 'node:path';
import { filesOf, Imports } from './imports.ts';

/** Tests of what goes through the whole service, by name, for the folders whose sources they see without importing them. */
const SUBJECTS: readonly (readonly [folder: RegExp, tests: readonly string[]])[] = [
  [/^(?:functions\/jobs|lib\/jobs)\b/, ['main-job', 'job-actions', 'attempts', 'later-codes']],
  [/^lib\/jobs\/(?:views|store)\b/, ['job-list', 'list-filters', 'queue-place']],
  [/^lib\/jobs\/output\b/, ['log-lines', 'large-output', 'earlier-results', 'lost-output']],
  [/^lib\/jobs\/creation\b/, ['drafts', 'follow-ups', 'refusals']],
  [/^lib\/reconciler\b/, ['worker-loss', 'restart']],
  [/^(?:lib\/(?:api|http|contract)|functions)\b/, ['refusals', 'access-matrix', 'refusals-for-programs']],
  [/^(?:lib\/access|functions\/(?:auth|session|sessions|tokens))\b/, ['principals', 'sessions', 'sign-in']],
  [/^(?:lib\/(?:deployments|bindings)|functions\/deploy)/, ['deploy-bindings', 'write-bindings']],
  [/^(?:lib\/(?:catalog|projects)|functions\/(?:config|rules|profiles|projects))\b/, ['config', 'remove-projects']],
  [/^(?:lib\/accounts?|functions\/codex-account|worker-container\/account)\b/, ['vendor-account', 'parked-jobs']],
  [/^(?:lib\/stats|functions\/(?:stats|health|environment))\b/, ['overview']],
  [/^worker-container\b/, ['worker', 'main-job', 'masking', 'repository-jobs']],
  [/^lib\/local\b/, ['gateway', 'restart']],
  [/^console\b/, ['jobs', 'job-page', 'administration', 'own-words', 'list']],
  [/^console\/src\/jobs\b/, ['list-filters', 'forms', 'timeline', 'compare']],
  [/^lib\/stacks\b/, ['grants', 'api-stack', 'trigger-functions']],
];

/** Imports that lead from a test to what it is about. */
const MOST_STEPS = 3;

/** Which tests see what a file gets wrong, the nearest first; found by imports and names, so that it follows renames. */
export class TestsOfFile {
  readonly #steps: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly #subjects: readonly (readonly [folder: RegExp, tests: readonly string[]])[];

  /** @throws Error if a test of a subject is not there */
  constructor(root: string) {
    const imports = new Imports(root);
    const tests = filesOf(root, 'test/**/*.test.ts');
    this.#steps = new Map(tests.map((test) => [test, imports.stepsFrom([test], { most: MOST_STEPS })]));
    const named = (name: string) => {
      const found = tests.filter((test) => basename(test) === `${name}.test.ts`);
      if (found.length === 0) throw new Error(`there is no test called ${name}`);
      return found;
    };
    this.#subjects = SUBJECTS.map(([folder, names]) => [folder, names.flatMap(named)]);
  }

  /** @param most how many are of use; those of the subject come behind those that import the file */
  of(file: string, most = Infinity): readonly string[] {
    const words = wordsOf(file);
    const near = [...this.#steps].flatMap(([test, steps]) => {
      const away = steps.get(file);
      const shared = wordsOf(test).filter((word) => words.includes(word)).length;
      if (away === undefined && shared < Math.min(2, words.length)) return [];
      return [{ test, distance: (away ?? MOST_STEPS + 1) - 2 * shared }];
    });
    const nearest = near.toSorted((a, b) => a.distance - b.distance || a.test.localeCompare(b.test));
    const ofSubject = this.#subjects.filter(([folder]) => folder.test(file)).flatMap(([, tests]) => tests);
    return [...new Set([...nearest.map(({ test }) => test), ...ofSubject])].slice(0, most);
  }
}

/** `lib/jobs/output/read-output.ts` → read, output; without an ending for more than one. */
function wordsOf(file: string): string[] {
  const [name = ''] = basename(file).split('.');
  return name.split('-').map((word) => word.replace(/s$/, ''));
}
