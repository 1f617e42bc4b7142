import ts from 'typescript';

/** What schemas of a single value are made of. */
const KINDS = new Set(['string', 'number', 'boolean', 'unknown']);
const VARIANTS = new Set(['optional', 'nullable', 'int']);

/** The module of the shared schemas, of which a bundle has those that it uses. */
export const SHARED_SCHEMAS = 'shared-schemas';

/**
 * Makes equal schemas of a single value, such as `z.string().optional()`, one schema of the whole bundle. Half of the
 * schemas of a function are such, and building one takes about 15 us. To be given sources without documentation.
 */
export function shareSchemas(source: string): string {
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
export function sharedSchemas(): string {
  const declared = new Map([...KINDS].map((kind) => [`$${kind}`, `z.${kind}()`]));
  for (let depth = 0; depth < 2; depth += 1)
    for (const name of [...declared.keys()])
      for (const variant of VARIANTS)
        if (variant !== 'int' || name === '$number') declared.set(`${name}$${variant}`, `${name}.${variant}()`);
  const lines = [...declared].map(([name, made]) => `export const ${name} = /* @__PURE__ */ (() => ${made})();`);
  return ["import * as z from 'zod';", ...lines].join('\n');
}
