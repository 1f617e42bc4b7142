import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import ts from 'typescript';

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

/** What schemas of a single value are made of. */
const KINDS = new Set(['string', 'number', 'boolean', 'unknown']);
const VARIANTS = new Set(['optional', 'nullable', 'int']);

/** The module of the shared schemas, of which a bundle has those that it uses. */
const SHARED_SCHEMAS = 'shared-schemas';

/**
 * Makes equal schemas of a single value, such as `z.string().optional()`, one schema of the whole bundle. Half of the
 * schemas of a function are such, and building one takes about 15 us. To be given sources without documentation.
 */
function shareSchemas(source: string): string {
  if (!source.includes("import * as z from 'zod'")) return source;
  const file = ts.createSourceFile('module.ts', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const edits: { readonly from: number; readonly to: number; readonly name: string }[] = [];
  const visit = (node: ts.Node): void => {
    const name = nameOf(node);
    if (name !== undefined) edits.push({ from: node.getStart(file), to: node.getEnd(), name });
    else ts.forEachChild(node, visit);
  };
  visit(file);
  if (edits.length === 0) return source;
  const names = [...new Set(edits.map(({ name }) => name))];
  const text = edits
    .toReversed()
    .reduce((before, { from, to, name }) => before.slice(0, from) + name + before.slice(to), source);
  return `import { ${names.join(', ')} } from '${SHARED_SCHEMAS}';\n${text}`;
}

/** `$string$optional` for `z.string().optional()`; undefined for anything else. */
function nameOf(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node) || node.arguments.length > 0 || node.typeArguments !== undefined) return undefined;
  if (!ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression: of, name } = node.expression;
  if (ts.isIdentifier(of) && of.text === 'z') return KINDS.has(name.text) ? `$${name.text}` : undefined;
  const inner = VARIANTS.has(name.text) ? nameOf(of) : undefined;
  return inner === undefined ? undefined : `${inner}$${name.text}`;
}

/** The declarations of all shared schemas of up to two variants. */
function sharedSchemas(): string {
  const declared = new Map([...KINDS].map((kind) => [`$${kind}`, `z.${kind}()`]));
  for (let depth = 0; depth < 2; depth += 1)
    for (const name of [...declared.keys()])
      for (const variant of VARIANTS)
        if (variant !== 'int' || name === '$number') declared.set(`${name}$${variant}`, `${name}.${variant}()`);
  const lines = [...declared].map(([name, made]) => `export const ${name} = /* @__PURE__ */ (() => ${made})();`);
  return ["import * as z from 'zod';", ...lines].join('\n');
}
