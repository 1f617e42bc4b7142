import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import ts from 'typescript';
import { SHARED_SCHEMAS, sharedSchemas, shareSchemas } from './shared-schemas.ts';

/**
 * An esbuild plugin that gives a function only the schemas of the contract that it needs, without their documentation, and
 * one schema for equal ones. Building a schema takes about 15 us, and those of all routes took a fifth of a start.
 * @param root whose `lib` has all schemas
 * @param folders whose modules only declare things
 */
export function leanContract(root: string, folders: readonly string[]): Plugin {
  // Many bundles have the same module.
  const known = new Map<string, Promise<string>>();
  const changed = async (path: string) => {
    const source = await readFile(path, 'utf8');
    return shareSchemas(folders.some((folder) => path.startsWith(join(root, folder, '/'))) ? lean(source) : source);
  };
  return {
    name: 'lean-contract',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!path.startsWith(join(root, 'lib/'))) return undefined;
        const contents = known.get(path) ?? changed(path);
        known.set(path, contents);
        return { contents: await contents, loader: 'ts' };
      });
      build.onResolve({ filter: new RegExp(`^${SHARED_SCHEMAS}$`) }, ({ path }) => ({ path, namespace: path }));
      build.onLoad({ filter: /./, namespace: SHARED_SCHEMAS }, () => ({ contents: sharedSchemas(), resolveDir: root }));
    },
  };
}

/**
 * Removes calls of `.meta()`, which only the OpenAPI document needs, and marks what makes a module's constants as pure, so
 * that an unused constant is left out of a bundle with all that it is made of. A bundler keeps arguments of an unused
 * call that spread an object or read a property, so each constant becomes the result of one call without arguments.
 */
function lean(source: string): string {
  const file = ts.createSourceFile('module.ts', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const edits: { readonly from: number; readonly to: number; readonly text: string }[] = [];
  const removeDocumentation = (node: ts.Node): void => {
    if (isDocumentation(node)) edits.push({ from: node.expression.expression.getEnd(), to: node.getEnd(), text: '' });
    ts.forEachChild(isDocumentation(node) ? node.expression.expression : node, removeDocumentation);
  };
  removeDocumentation(file);
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { initializer } of statement.declarationList.declarations) {
      if (initializer === undefined || !doesSomething(initializer)) continue;
      const [from, to] = [initializer.getStart(file), initializer.getEnd()];
      edits.push({ from, to: from, text: '/* @__PURE__ */ (() => (' }, { from: to, to, text: '))()' });
    }
  }
  return edits
    .toSorted((a, b) => b.from - a.from || b.to - a.to)
    .reduce((text, { from, to, text: replacement }) => text.slice(0, from) + replacement + text.slice(to), source);
}

/** Whether evaluating an expression may do something: what is in functions runs later. */
function doesSomething(node: ts.Node): boolean {
  if (ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isTypeNode(node)) return false;
  const acts =
    ts.isCallExpression(node) ||
    ts.isNewExpression(node) ||
    ts.isSpreadAssignment(node) ||
    ts.isSpreadElement(node) ||
    ts.isPropertyAccessExpression(node);
  return acts || (ts.forEachChild(node, (child) => doesSomething(child) || undefined) ?? false);
}

function isDocumentation(node: ts.Node): node is ts.CallExpression & { expression: ts.PropertyAccessExpression } {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  return node.expression.name.text === 'meta';
}
