import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { someModule } from './own-process.ts';

const TESTS = join(import.meta.dirname, '/');
const SERVICE = /(?<!function )\bstartService\(/;

/**
 * Runs the files that start a local run before the others, which are short: at the end of a run all its processes
 * have work, instead of one that has a long file left.
 */
export class ServicesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = new Map(
      sorted.map((file) => [file, someModule(file.moduleId, TESTS, (text) => SERVICE.test(text))]),
    );
    const rank = (file: TestSpecification) => (isLong.get(file) === true ? 0 : 1);
    // Files of one project stay together, so that they share processes.
    const projects = Map.groupBy(sorted, ({ project }) => project.name);
    return [...projects.values()].flatMap((ofProject) => ofProject.toSorted((a, b) => rank(a) - rank(b)));
  }
}
