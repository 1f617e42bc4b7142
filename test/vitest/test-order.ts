import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose tests drive a local run or a browser; they take longest, and many share one run. */
const FIRST = ['test/api/', 'test/console/', 'test/bin/'];

/** Runs the long folders first, so that all processes have work until the end, and the files of a project together. */
export class LongFoldersFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const path = relative(this.ctx.config.root, moduleId);
      const at = FIRST.findIndex((folder) => path.startsWith(folder));
      return at < 0 ? FIRST.length : at;
    };
    // Files of one project stay together, so that they share processes.
    const projects = Map.groupBy(sorted, ({ project }) => project.name);
    return [...projects.values()].flatMap((ofProject) => ofProject.toSorted((a, b) => rank(a) - rank(b)));
  }
}
