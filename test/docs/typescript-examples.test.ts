import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, expect, test } from 'vitest';
import { documentAt, ROOT } from './documents.ts';

const PATH = 'docs/api/typescript-client.md';
const { fences } = documentAt(PATH);
const examples = fences.filter(({ language }) => language === 'ts');
// Inside the repository, so that Node's types are found.
const folder = mkdtempSync(join(ROOT, 'node_modules/.cache/examples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler finds in texts that import the package. */
function faultsIn(texts: readonly string[]): string[] {
  const files = texts.map((text, at) => {
    const file = join(folder, `example-${at}.ts`);
    writeFileSync(file, text);
    return file;
  });
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    moduleDetection: ts.ModuleDetectionKind.Force,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: {
      'promptq/client': [join(ROOT, 'lib/client/promptq.ts')],
      'promptq/errors': [join(ROOT, 'lib/client/errors.ts')],
      'promptq/webhook': [join(ROOT, 'lib/client/verify-webhook.ts')],
    },
  });
  return files.flatMap((file) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
}

test(`the examples of ${PATH} have the types of the client`, () => {
  expect(examples.length).toBeGreaterThan(5);
  expect(faultsIn(examples.map(({ text }) => text))).toEqual([]);
});

test('an example with a wrong field is found', () => {
  const [first = ''] = examples.map(({ text }) => text);
  expect(faultsIn([first.replace('final_message', 'final_massage')])).toEqual([
    expect.stringContaining("Property 'final_massage' does not exist"),
  ]);
});
