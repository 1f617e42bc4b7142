import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import { lean } from '../../../../lib/stacks/functions/lean-contract.ts';

/** What a bundle has of a module none of whose exports is used. */
function left(source: string): string {
  return transformSync(lean(source), { loader: 'ts', format: 'iife', treeShaking: true, minify: true }).code;
}

test('a constant that no function uses leaves nothing behind, whatever calls make it', () => {
  const source = `
    const name = z.string().min(1).meta({ description: 'A name.' });
    const route = defineRoute({ body: z.object({ name, tags: z.array(name) }), mode: new Mode('x') });
  `;
  expect(left(source)).not.toMatch(/string|Route|Mode/);
});

test('a constant that no function uses leaves nothing behind if it is an instance of a class', () => {
  expect(left('const modes = new Modes(); const known = { first: new Mode(), other: [new Mode()] };')).not.toMatch(
    /Mode/,
  );
});

test('a constant that no function uses leaves nothing behind if it spreads others or reads their properties', () => {
  const source = `
    const shared = { id: z.string() };
    const job = z.object({ ...shared, title: z.string() });
    const replacement = z.object(Object.fromEntries(Object.keys(job.shape).map((name) => [name, z.unknown()])));
  `;
  expect(left(source)).not.toMatch(/object|id|shape/);
});

test('documentation goes, also from functions, and the schema that it belongs to stays', () => {
  const source = "const limited = (max: number) => z.string().max(max).meta({ description: 'Text.' }).optional();";
  expect(lean(source)).toBe('const limited = (max: number) => z.string().max(max).optional();');
});

test('calls that are no constant, and calls within functions, happen as they are written', () => {
  const source =
    'z.config({ jitless: true });\nconst known = () => load();\nexport function read() {\n  return load();\n}';
  expect(lean(source)).toBe(source);
});
