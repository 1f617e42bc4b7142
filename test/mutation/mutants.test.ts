import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { HARMLESS, isHarmlessAs } from './harmless-mutants.ts';
import { mutated } from './mutant.ts';
import { MUTANTS } from './mutants.ts';
import { DECIDING_ROOMS, decidingFiles } from './rules/deciding-files.ts';
import { foundMutants, mutantsFrom } from './rules/found-mutants.ts';
import { safeguardsOf } from './rules/safeguards.ts';
import { breaksOf } from './rules/sample-rules.ts';
import { areaOf, breaksByArea, sampleOf } from './sample.ts';
import { TestsOfFile } from './witnesses/tests-of-file.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const sourceOf = (file: string) => readFileSync(`${ROOT}/${file}`, 'utf8');
const found = foundMutants(ROOT);
const areas = breaksByArea(ROOT);
const FILES = decidingFiles(ROOT);

/** 95 % of the safeguards in each room when they were last counted: a room or a kind that is lost shows here. */
const LEAST: Readonly<Record<(typeof DECIDING_ROOMS)[number], number>> = {
  'lib/jobs/lifecycle': 289,
  'lib/jobs/indexes': 37,
  'lib/jobs/receipts': 6,
  'lib/jobs/store': 249,
  'lib/jobs/dispatch': 56,
  'lib/jobs/admission': 342,
  'lib/jobs/creation': 284,
  'lib/jobs/reread': 61,
  'lib/jobs/threads': 184,
  'lib/jobs/messages': 58,
  'lib/jobs/questions': 64,
  'lib/jobs/deployments': 16,
  'lib/deployments': 155,
  'lib/deployments/bindings': 103,
  'lib/deployments/calls': 54,
  'lib/reconciler': 154,
  'lib/stats/counting': 115,
  'worker-container/attempt': 290,
  'worker-container/heartbeat': 30,
  'worker-container/prompt': 54,
  'worker-container/commands': 112,
  'worker-container/pool': 139,
  'worker-container/output': 111,
  'worker-container/agent-sessions': 77,
  'worker-container/forks': 30,
  'worker-container/tools': 122,
  'worker-container/deployments': 71,
};

describe('every mutant', () => {
  it('that was written by hand still changes the source, in exactly one place', () => {
    for (const mutant of MUTANTS) {
      const source = sourceOf(mutant.file);
      expect({ name: mutant.name, places: source.split(mutant.find).length - 1 }).toEqual({
        name: mutant.name,
        places: 1,
      });
      expect(mutated(source, mutant)).not.toBe(source);
    }
  });

  it('that is listed as harmless is still found, and has a reason', () => {
    for (const harmless of HARMLESS) {
      const { file, reason } = harmless;
      const isFound = [...found, ...(areas.get(areaOf(file)) ?? [])].some((each) => isHarmlessAs(harmless, each));
      expect({ harmless, isFound }).toEqual({ harmless, isFound: true });
      expect(reason.length).toBeGreaterThan(20);
    }
  });

  it('has existing tests', () => {
    for (const test of new Set(MUTANTS.flatMap(({ test }) => test ?? []))) expect(() => sourceOf(test)).not.toThrow();
    const tests = new TestsOfFile(ROOT);
    const unseen = [...FILES, ...MUTANTS.map(({ file }) => file)].filter((file) => tests.of(file).length < 2);
    expect(unseen).toEqual([]);
    for (const file of ['console/src/main.tsx', 'lib/jobs/output/reading/read-output.ts'])
      expect(tests.witnessesOf(file).slow).not.toEqual([]);
    // By the words that they share: neither imports the other, and their names have none in common.
    expect(tests.witnessesOf('functions/jobs/submit.ts').slow).toContain('test/api/jobs/drafts.test.ts');
  });
});

describe('from the source', () => {
  it('each deciding folder has at least as many safeguards as at the last count', () => {
    const counts = Map.groupBy(found, ({ file }) => dirname(file));
    for (const [room, least] of Object.entries(LEAST)) {
      const count = counts.get(room)?.length ?? 0;
      expect({ room, isThere: count >= least, count }).toMatchObject({ room, isThere: true });
    }
    expect(Object.keys(LEAST)).toEqual([...DECIDING_ROOMS]);
  });

  it('each part of each condition of a write is removed', () => {
    for (const file of FILES) {
      const conditions = sourceOf(file).match(/(?<!Key)ConditionExpression: (?!string)/g)?.length ?? 0;
      const count = found.filter(
        ({ name }) => name.startsWith(`${file} `) && name.includes('without condition'),
      ).length;
      expect({ file, isEach: count >= conditions }).toEqual({ file, isEach: true });
    }
  });

  it('its name does not matter', () => {
    const safeguards = (source: string) =>
      mutantsFrom({ file: 'lib/jobs/x.ts', source }, safeguardsOf).map(({ find, replace }) => `${find} → ${replace}`);
    const source = `
      async function a(b: C, log: D): Promise<boolean> {
        if (b.c < 3) await b.d();
        log.info('nothing');
        await e.send(new PutCommand({ ConditionExpression: '#f = :f AND g < :g', consistent: true }));
        return b.h && !b.i;
      }`;
    expect(safeguards(source)).toEqual([
      'b.c < 3 → false',
      'await b.d(); → ;',
      "await e.send(new PutCommand({ ConditionExpression: '#f = :f AND g < :g', consistent: true })); → ;",
      '#f = :f → (#f = :f OR NOT #f = :f)',
      'g < :g → (g < :g OR NOT g < :g)',
      'true → false',
      '!b.i → true',
      'b.h && !b.i → true',
    ]);
  });
});

describe('a sample of the whole product', () => {
  const sample = sampleOf(areas, { count: 200, seed: 1 });

  it('follows from its seed', () => {
    expect(sampleOf(areas, { count: 200, seed: 1 })).toEqual(sample);
    expect(sampleOf(areas, { count: 200, seed: 2 })).not.toEqual(sample);
  });

  it('has breaks of every area', () => {
    const drawn = new Set(sample.map(({ file }) => areaOf(file)));
    expect(drawn).toEqual(new Set(areas.keys()));
    expect([...drawn]).toEqual(
      expect.arrayContaining(['bin', 'console', 'functions', 'worker-container', 'lib/jobs', 'lib/stacks']),
    );
  });

  it('changes the source wherever it is drawn', () => {
    for (const [file, breaks] of Map.groupBy([...areas.values()].flat(), (each) => each.file)) {
      const source = sourceOf(file);
      const same = breaks.filter((each) => mutated(source, each) === source).map(({ name }) => name);
      expect(same).toEqual([]);
    }
  });

  it('leaves out what only words an error or a line of the log, releases a timer, or is at the very moment of a boundary, and opens files to all', () => {
    const source = `
      async function a(): Promise<void> {
        clearTimeout(b);
        c.unref();
        log.info(g === undefined ? 'deleted it' : 'stored it');
        if (h > 0) log.info('deleted some');
        i(clock.now() > j);
        d(e instanceof Error ? e.message : String(e));
        if (e instanceof Error) await write(f, { mode: 0o600 });
      }`;
    const breaks = mutantsFrom({ file: 'lib/x.ts', source }, breaksOf);
    expect(breaks.map(({ find, replace }) => `${find} → ${replace}`)).toEqual([
      'i(clock.now() > j); → ;',
      'd(e instanceof Error ? e.message : String(e)); → ;',
      'e instanceof Error → false',
      'await write(f, { mode: 0o600 }); → ;',
      'e instanceof Error → !(e instanceof Error)',
      '0o600 → 0o777',
    ]);
  });
});
