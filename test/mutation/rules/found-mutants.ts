import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Mutant } from '../mutant.ts';
import { decidingFiles } from './deciding-files.ts';
import { type Safeguard, safeguardsOf } from './safeguards.ts';

/** Every safeguard in the sources of the deciding modules, each to be removed separately. */
export function foundMutants(root: string): Mutant[] {
  return decidingFiles(root).flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return mutantsFrom({ file, source }, safeguardsOf);
  });
}

/** What some rules find in a source, each as a mutant with a separate name. */
export function mutantsFrom(
  { file, source }: { readonly file: string; readonly source: string },
  rules: (tree: ts.SourceFile) => readonly Safeguard[],
): Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const counts = new Map<string, number>();
  return rules(tree).map(({ node, from, to, replace, what }) => {
    const { line } = tree.getLineAndCharacterOfPosition(from);
    const shown = source.slice(from, to).replaceAll(/\s+/g, ' ').slice(0, 90);
    const name = `${file} ${functionOf(node)}(): ${what}: ${shown}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return {
      name: count === 1 ? name : `${name} · ${count}`,
      file,
      at: { from, to, line: line + 1 },
      find: source.slice(from, to),
      replace,
    };
  });
}

/** The function that contains a node. */
function functionOf(node: ts.Node): string {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent)
    if ((ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)) && at.name !== undefined) return at.name.getText();
  return '';
}
