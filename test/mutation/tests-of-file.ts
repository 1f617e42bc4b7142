import { basename, dirname } from 'node:path';
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
  [/^(?:lib\/doctor|bin\/doctor)/, ['doctor', 'doctor-deployment', 'doctor-worker', 'doctor-before-deploy']],
  [/^bin\/local/, ['restart', 'main-job']],
  [/^console\b/, ['jobs', 'job-page', 'administration', 'own-words', 'list']],
  [/^console\/src\/jobs\b/, ['list-filters', 'forms', 'timeline', 'compare']],
  [/^lib\/stacks\b/, ['grants', 'api-stack', 'trigger-functions']],
];

/** Tests that start services or browsers: they come behind the others. */
const SLOW = /^test\/(?:api|bin|generated-clients|openapi)\/|^test\/console\/[^/]+$/;

/** Tests about the tests, and about nothing that one file decides. */
const NO_WITNESS = /^test\/(?:mutation|simulation|bench|faults|walks|docs)\/|^test\/architecture/;

/** How many of each kind one break is shown to. */
const MOST = { quick: 10, slow: 6 };

/** Imports that lead from a test to what it is about. */
const MOST_STEPS = 3;

/** Which tests see what a file gets wrong, the nearest first; found by imports and names, so that it follows renames. */
export class TestsOfFile {
  readonly #steps: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly #subjects: readonly (readonly [folder: RegExp, tests: readonly string[]])[];

  /** @throws Error if a test of a subject is not there */
  constructor(root: string) {
    const imports = new Imports(root);
    const tests = filesOf(root, 'test/**/*.test.ts').filter((test) => !NO_WITNESS.test(test));
    this.#steps = new Map(tests.map((test) => [test, imports.stepsFrom([test], { most: MOST_STEPS })]));
    const named = (name: string) => {
      const found = tests.filter((test) => basename(test) === `${name}.test.ts`);
      if (found.length === 0) throw new Error(`there is no test called ${name}`);
      return found;
    };
    this.#subjects = SUBJECTS.map(([folder, names]) => [folder, names.flatMap(named)]);
  }

  /** Those that import the file or are named alike, the nearest first; then those of its subject. */
  of(file: string): readonly string[] {
    const words = wordsOf(file);
    const near = [...this.#steps].flatMap(([test, steps]) => {
      const away = steps.get(file);
      const shared = wordsOf(test).filter((word) => words.includes(word)).length;
      const isInRoom = dirname(test) === `test/${dirname(file)}`;
      if (away === undefined && !isInRoom && shared < Math.min(2, words.length)) return [];
      return [{ test, distance: (away ?? MOST_STEPS + 1) - 2 * shared - (isInRoom ? 2 : 0) }];
    });
    const nearest = near.toSorted((a, b) => a.distance - b.distance || a.test.localeCompare(b.test));
    const ofSubject = this.#subjects.filter(([folder]) => folder.test(file)).flatMap(([, tests]) => tests);
    return [...new Set([...nearest.map(({ test }) => test), ...ofSubject])];
  }

  /** The nearest of each kind: those that are to see a break of the file. */
  witnessesOf(file: string): { readonly quick: readonly string[]; readonly slow: readonly string[] } {
    const { quick = [], slow = [] } = Object.groupBy(this.of(file), (test) => (SLOW.test(test) ? 'slow' : 'quick'));
    return { quick: quick.slice(0, MOST.quick), slow: slow.slice(0, MOST.slow) };
  }
}

/** `lib/jobs/output/read-output.ts` → read, output; without an ending for more than one. */
function wordsOf(file: string): string[] {
  const [name = ''] = basename(file).split('.');
  return name.split('-').map((word) => word.replace(/s$/, ''));
}
