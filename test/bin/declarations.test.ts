import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { declareClient, FOREIGN } from '../../bin/pack/declarations.ts';

vi.mock('node:child_process', () => ({ spawnSync: vi.fn() }));

const root = mkdtempSync(join(tmpdir(), 'promptq-declared-'));
const packed = join(root, 'packed');
afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

beforeEach(() => {
  rmSync(packed, { recursive: true, force: true });
  for (const [name, file] of Object.entries(FOREIGN))
    write(join(root, 'node_modules', file), `import 'openapi-typescript-helpers'; // of ${name}`);
});

/** Has the compiler end with a status. @returns the options that it was given */
function compilerThat(status: number, declared: Readonly<Record<string, string>> = {}): unknown[] {
  const given: unknown[] = [];
  vi.mocked(spawnSync).mockImplementation(((program: string, args: string[]) => {
    const [compiler, flag, project = ''] = args;
    given.push(program, compiler, flag, JSON.parse(readFileSync(join(project, 'tsconfig.json'), 'utf8')));
    for (const [file, text] of Object.entries(declared)) write(join(packed, file), text);
    return { status, stdout: 'x.ts(1,1): error' };
  }) as unknown as typeof spawnSync);
  return given;
}

const cache = join(root, 'node_modules/.cache');

it('declares the types of modules and of all that they import, foreign ones too, without anything else', () => {
  const given = compilerThat(0, {
    'lib/client/promptq.d.ts':
      "export * from './act.ts';\nimport x from '../contract/x.ts';\nimport y from 'openapi-fetch';",
    'index.d.ts': "import 'openapi-fetch';\nexport const text = 'from here.ts';",
  });
  declareClient(root, ['lib/client/promptq.ts', 'lib/client/errors.ts'], packed);
  expect(given).toEqual([
    process.execPath,
    join(root, 'node_modules/typescript-native/bin/tsc'),
    '-p',
    {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root, outDir: packed },
      include: [],
      files: [join(root, 'lib/client/promptq.ts'), join(root, 'lib/client/errors.ts')],
    },
  ]);
  const read = (file: string) => readFileSync(join(packed, file), 'utf8');
  expect(read('lib/client/promptq.d.ts')).toBe(
    "export * from './act.js';\nimport x from '../contract/x.js';\nimport y from '../../openapi-fetch.js';",
  );
  expect(read('index.d.ts')).toBe("import './openapi-fetch.js';\nexport const text = 'from here.ts';");
  for (const name of Object.keys(FOREIGN))
    expect(read(`${name}.d.ts`)).toBe(`import './openapi-typescript-helpers.js'; // of ${name}`);
  expect(readdirSync(cache)).toEqual([]);
});

it('fails with what the compiler says, and leaves nothing', () => {
  compilerThat(2);
  expect(() => declareClient(root, ['x.ts'], packed)).toThrow(
    'the types of the client could not be declared:\nx.ts(1,1): error',
  );
  expect([readdirSync(cache), existsSync(packed)]).toEqual([[], false]);
});
