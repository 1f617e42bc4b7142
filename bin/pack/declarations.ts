import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Packages whose types appear in those of the client, and their declarations. */
export const FOREIGN = {
  'openapi-fetch': 'openapi-fetch/dist/index.d.mts',
  'openapi-typescript-helpers': 'openapi-typescript-helpers/dist/index.d.mts',
};

/**
 * Writes the type declarations of modules and of all that they import, so that the package needs no other for its types.
 * @param sources paths in the repository
 * @throws Error with the messages of the compiler
 */
export function declareClient(root: string, sources: readonly string[], folder: string): void {
  // Beside the options that it extends, where the compiler finds the packages.
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const project = mkdtempSync(join(cache, 'promptq-types-'));
  try {
    compile(root, project, sources, folder);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
  for (const [name, file] of Object.entries(FOREIGN))
    copyFileSync(join(root, 'node_modules', file), join(folder, `${name}.d.ts`));
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file);
    writeFileSync(path, resolved(readFileSync(path, 'utf8'), relative(dirname(path), folder) || '.'));
  }
}

function compile(root: string, project: string, sources: readonly string[], outDir: string): void {
  const options = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root, outDir },
    include: [],
    files: sources.map((source) => join(root, source)),
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(options));
  const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the types of the client could not be declared:\n${stdout}`);
}

/** Declarations import each other as JavaScript, and foreign ones from the root of the folder. */
function resolved(text: string, toRoot: string): string {
  const local = text.replace(/(from '\.[^']*)\.ts'/g, "$1.js'");
  return Object.keys(FOREIGN).reduce((all, name) => all.replaceAll(`'${name}'`, `'${toRoot}/${name}.js'`), local);
}
