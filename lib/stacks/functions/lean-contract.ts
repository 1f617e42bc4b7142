import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import ts from 'typescript';

/**
 * An esbuild plugin that gives a function only the schemas of the contract that it needs, without their documentation.
 * Building a schema takes about 15 us, and those of all routes took a fifth of a start.
 * @param folder whose modules only declare things
 */
export function leanContract(folder: string): Plugin {
  // Many bundles have the same module.
  const known = new Map<string, Promise<string>>();
  return {
    name: 'lean-contract',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!path.startsWith(join(folder, '/'))) return undefined;
        const contents = known.get(path) ?? readFile(path, 'utf8').then(lean);
        known.set(path, contents);
        return { contents: await contents, loader: 'ts' };
      });
    },
  };
}

/**
 * Removes calls of `.meta()`, which only the OpenAPI document needs, and marks the calls that make a module's constants as
 * pure, so that an unused constant is left out of a bundle. Calls within functions run later and stay as they are.
 */
export function lean(source: string): string {
  const file = ts.createSourceFile('module.ts', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const edits: { readonly from: number; readonly to: number; readonly text: string }[] = [];
  const marked = new Set<number>();
  const visit = (node: ts.Node, isConstant: boolean): void => {
    const isCall = ts.isCallExpression(node) || ts.isNewExpression(node);
    if (isDocumentation(node)) {
      edits.push({ from: node.expression.expression.getEnd(), to: node.getEnd(), text: '' });
      visit(node.expression.expression, isConstant);
      return;
    }
    const start = node.getStart(file);
    // A chain of calls begins where its first call does.
    if (isCall && isConstant && !marked.has(start)) edits.push({ from: start, to: start, text: PURE });
    if (isCall && isConstant) marked.add(start);
    const runsLater = ts.isFunctionLike(node) || ts.isClassLike(node);
    ts.forEachChild(node, (child) => visit(child, isConstant && !runsLater));
  };
  for (const statement of file.statements) visit(statement, ts.isVariableStatement(statement));
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((text, { from, to, text: replacement }) => text.slice(0, from) + replacement + text.slice(to), source);
}

const PURE = '/* @__PURE__ */ ';

function isDocumentation(node: ts.Node): node is ts.CallExpression & { expression: ts.PropertyAccessExpression } {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  return node.expression.name.text === 'meta';
}
