import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { filesOf, Imports } from '../imports.ts';
import { AlikeTexts } from './alike-texts.ts';

/** Folders of tests that go through the whole service, for the folders whose sources they see without importing them. */
const SUBJECTS: readonly (readonly [folder: RegExp, tests: readonly string[]])[] = [
  [/^(?:functions\/jobs|lib\/jobs)\b/, ['test/api/jobs', 'test/api/output']],
  [/^(?:lib\/reconciler|lib\/workers|worker-container|lib\/local)\b/, ['test/api/runs', 'test/worker-container/pool']],
  [/^(?:lib\/(?:api|contract|access|accounts)|functions\/(?!jobs))/, ['test/api/access']],
  [/^(?:lib\/(?:deployments|catalog|projects|stats)|functions\/(?!jobs))/, ['test/api/catalog']],
  [/^(?:lib\/local)\b/, ['test/lib/local/gateway']],
  [/^(?:lib\/doctor|bin)\b/, ['test/bin']],
  [/^lib\/stacks\b/, ['test/lib/stacks']],
  [/^console\b/, ['test/console']],
];

/** Tests that compare all that some sources make, so that they see most of what those get wrong: they come first. */
const COMPARING: readonly (readonly [folder: RegExp, test: string])[] = [
  [/^lib\/(?:stacks|contract\/routes)\b/, 'test/lib/stacks/templates.test.ts'],
];

/** What tests import that start a local run. They come behind the others. */
const SLOW_START = 'test/local-run/local-service.ts';

/** Tests about the tests, about nothing that one file decides, and two that cost a minute of CPU time each. */
const NO_WITNESS =
  /^test\/(?:mutation|simulation|bench|faults|walks|docs)\/|^test\/architecture|\/(?:planted|dispatch-burst)/;

/** How many of each kind one break is shown to; `alike`: quick ones that share words with the file, imported or not. */
const MOST = { quick: 8, alike: 2, slow: 3 };

/** Imports that lead from a test to what it is about. */
const MOST_STEPS = 3;
/** What a test that imports the file itself counts as: it says more than a name that is like the file's. */
const DIRECT = -1;

/** Which tests see what a file gets wrong, the nearest first; found by imports and names, so that it follows renames. */
export class TestsOfFile {
  readonly #root: string;
  readonly #texts: AlikeTexts;
  readonly #steps: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly #subjects: readonly (readonly [folder: RegExp, tests: readonly string[]])[];

  /** @throws Error if there are no tests of a subject */
  constructor(root: string) {
    const imports = new Imports(root);
    const tests = filesOf(root, 'test/**/*.test.ts').filter((test) => !NO_WITNESS.test(test));
    this.#root = root;
    this.#texts = new AlikeTexts(new Map(tests.map((test) => [test, readFileSync(join(root, test), 'utf8')])));
    this.#steps = new Map(tests.map((test) => [test, imports.stepsFrom([test], { most: MOST_STEPS })]));
    this.#subjects = SUBJECTS.map(([folder, rooms]) => [
      folder,
      rooms.flatMap((room) => {
        const inRoom = tests.filter((test) => test.startsWith(`${room}/`));
        if (inRoom.length === 0) throw new Error(`there are no tests in ${room}`);
        return inRoom;
      }),
    ]);
  }

  /** Those that import the file or are named alike, the nearest first; then those of its subject. */
  of(file: string): readonly string[] {
    const words = wordsOf(file);
    const shared = (test: string) => wordsOf(test).filter((word) => words.includes(word)).length;
    const near = [...this.#steps].flatMap(([test, reached]) => {
      const away = reached.get(file);
      const isInRoom = dirname(test) === `test/${dirname(file)}`;
      if (away === undefined && !isInRoom && shared(test) < Math.min(2, words.length)) return [];
      const steps = away === 1 ? DIRECT : (away ?? MOST_STEPS + 1);
      return [{ test, distance: steps - 2 * shared(test) - (isInRoom ? 2 : 0) }];
    });
    const nearest = near.toSorted((a, b) => a.distance - b.distance || a.test.localeCompare(b.test));
    const path = file.split('/').flatMap(wordsOf);
    const onPath = (test: string) =>
      test
        .split('/')
        .flatMap(wordsOf)
        .filter((word) => path.includes(word)).length;
    const ofSubject = this.#subjects.filter(([folder]) => folder.test(file)).flatMap(([, tests]) => tests);
    const alike = ofSubject.toSorted((a, b) => onPath(b) - onPath(a) || a.localeCompare(b));
    return [...new Set([...nearest.map(({ test }) => test), ...alike])];
  }

  /** The nearest of each kind: those that are to see a break of the file. */
  witnessesOf(file: string): { readonly quick: readonly string[]; readonly slow: readonly string[] } {
    const { quick = [], slow = [] } = Object.groupBy(this.of(file), (test) => (this.#isSlow(test) ? 'slow' : 'quick'));
    // A slow test drives the whole service, so that its imports say less than its name (`repository-jobs` of what is in
    // `worker-container/repository`) and than the words that it shares with the file.
    const [, ...path] = file.split('/').flatMap((part, at) => (at === 0 ? [part] : wordsOf(part)));
    const like = this.#texts.like(readFileSync(join(this.#root, file), 'utf8'));
    const weight = (test: string) => (1 + wordsOf(test).filter((word) => path.includes(word)).length) * like(test);
    const telling = slow.toSorted((a, b) => weight(b) - weight(a));
    const nearest = quick.slice(0, MOST.quick);
    const others = [...this.#steps.keys()].filter((test) => !this.#isSlow(test) && !nearest.includes(test));
    const alike = others.toSorted((a, b) => like(b) - like(a)).slice(0, MOST.alike);
    const comparing = COMPARING.filter(([folder]) => folder.test(file)).map(([, test]) => test);
    return { quick: [...new Set([...comparing, ...nearest, ...alike])], slow: telling.slice(0, MOST.slow) };
  }

  #isSlow(test: string): boolean {
    return this.#steps.get(test)?.has(SLOW_START) === true;
  }
}

/** `lib/jobs/output/read-output.ts` → read, output; without an ending for more than one. */
function wordsOf(file: string): string[] {
  const [name = ''] = basename(file).split('.');
  return name.split('-').map((word) => word.replace(/s$/, ''));
}
