import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { foundMutants, MUTATED_FILES } from './found-mutants.ts';
import { HARMLESS } from './harmless-mutants.ts';
import { mutated } from './mutant.ts';
import { MUTANTS } from './mutants.ts';
import { testsOf } from './tests-of-file.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const sourceOf = (file: string) => readFileSync(`${ROOT}/${file}`, 'utf8');
const found = foundMutants(ROOT);

describe('every mutant', () => {
  it('that was made by hand still changes the source, at the one place that it means', () => {
    for (const mutant of MUTANTS) {
      const source = sourceOf(mutant.file);
      expect({ name: mutant.name, places: source.split(mutant.find).length - 1 }).toEqual({
        name: mutant.name,
        places: 1,
      });
      expect(mutated(source, mutant)).not.toBe(source);
    }
  });

  it('that is said to change nothing is still found, and says why', () => {
    for (const { file, find, replace, reason } of HARMLESS) {
      const isFound = found.some((each) => each.file === file && each.find === find && each.replace === replace);
      expect({ file, find, replace, isFound }).toEqual({ file, find, replace, isFound: true });
      expect(reason.length).toBeGreaterThan(20);
    }
  });

  it('has tests that are there', () => {
    for (const test of new Set([...MUTATED_FILES.flatMap(testsOf), ...MUTANTS.flatMap(({ test }) => test ?? [])]))
      expect(() => sourceOf(test)).not.toThrow();
  });
});

describe('from the source', () => {
  it('each part of each condition of a write is taken out', () => {
    const without = found.filter(({ name }) => name.includes('without condition')).map(({ find }) => find);
    expect(without).toEqual(
      expect.arrayContaining(['#version = :known_version', '#lease_until = :known_lease', '#attempt = :attempt']),
    );
    for (const file of MUTATED_FILES) {
      const conditions = sourceOf(file).match(/(?<!Key)ConditionExpression:/g)?.length ?? 0;
      const count = found.filter(
        ({ name }) => name.startsWith(`${file} `) && name.includes('without condition'),
      ).length;
      expect(count).toBeGreaterThanOrEqual(conditions > 0 ? 1 : 0);
    }
  });

  it('each file that decides shows safeguards', () => {
    const without = MUTATED_FILES.filter((file) => !found.some((mutant) => mutant.file === file));
    expect(without).toEqual([]);
  });
});
