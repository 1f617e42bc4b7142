import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { someModule } from './own-process.ts';

const TESTS = join(import.meta.dirname, '../');
/** The first that a file has, or a module of the tests that it imports, decides. */
const ORDER = [/(?<!function )\bsharedService\(/, /(?<!function )\bstartService\(/, /\bfrom 'node:child_process'/];

/**
 * Runs the files that share a local run first, one after the other, then those that start their own, then those that may
 * wait for other processes, then the others, which are short: at the end of a run all its processes have work, instead of
 * one that has a long file left.
 */
export class ServicesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const ranks = new Map(
      sorted.map((file) => {
        const rank = ORDER.findIndex((call) => someModule(file.moduleId, TESTS, (text) => call.test(text)));
        return [file, rank < 0 ? ORDER.length : rank];
      }),
    );
    const rank = (file: TestSpecification) => ranks.get(file) ?? 0;
    // Files of one project stay together, so that they share processes.
    const projects = Map.groupBy(sorted, ({ project }) => project.name);
    return [...projects.values()].flatMap((ofProject) => ofProject.toSorted((a, b) => rank(a) - rank(b)));
  }
}
