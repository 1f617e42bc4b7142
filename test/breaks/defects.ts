import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { failingTests, makeCopy, passesSimulator, run } from './commit-copy.ts';

/*
 * `npm run prove -- defects [NAME…]`: are the defects that the simulator once found still seen? Each is a patch in
 * `defects` that puts it back into today's code. Its head says what went wrong, and who sees it: test files, or
 * `simulator`, as a commit runs it. A patch that no longer applies fails: put the defect into the code as it is now, or
 * remove the patch if the code can no longer have the defect.
 */
const FOLDER = join(import.meta.dirname, 'defects');
const SEEN_BY = 'Seen by: ';
const wanted = process.argv.slice(2);
const defects = globSync('*.patch', { cwd: FOLDER })
  .toSorted()
  .filter((file) => wanted.length === 0 || wanted.includes(basename(file, '.patch')))
  .map((file) => {
    const path = join(FOLDER, file);
    const head = readFileSync(path, 'utf8').split('\ndiff --git ')[0]?.split('\n') ?? [];
    const seenBy = head.find((line) => line.startsWith(SEEN_BY))?.slice(SEEN_BY.length) ?? '';
    return { name: basename(file, '.patch'), path, seenBy };
  });
if (defects.length === 0) throw new Error(`no defect is called ${wanted.join(' or ')}`);

makeCopy();
const tests = [...new Set(defects.flatMap(({ seenBy }) => (seenBy === 'simulator' ? [] : seenBy.split(' '))))];
const broken = failingTests(tests);
if (broken === 'timeout' || broken.size > 0) throw new Error(`fail without a defect: ${JSON.stringify([...broken])}`);
let seen = 0;
for (const { name, path, seenBy } of defects) {
  const applied = run('git', ['apply', '-C1', path]);
  const by = applied.status === 0 ? sees(seenBy) : undefined;
  if (by !== undefined) seen += 1;
  const trouble = applied.status === 0 ? `NOT SEEN by ${seenBy}` : `DOES NOT APPLY: ${applied.stderr.trim()}`;
  console.log(`${name}: ${by === undefined ? trouble : `seen by ${by}`}`);
  run('git', ['checkout', '--quiet', '.']);
}
console.log(`${seen} of ${defects.length} defects seen`);
if (seen < defects.length) {
  console.error(
    'Where a patch does not apply, put its defect into the code as it is now, or remove it with its cause.',
  );
  process.exitCode = 1;
}

function sees(seenBy: string): string | undefined {
  if (seenBy === 'simulator') return passesSimulator() ? undefined : 'the simulator';
  const failing = failingTests(seenBy.split(' '));
  if (failing === 'timeout') return `${seenBy}, which does not end`;
  return [...failing].map(([file, title]) => `${file}: ${title}`)[0];
}
