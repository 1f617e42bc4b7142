import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { access, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { IS_PACKED, programFolder } from './program-files.ts';

const ROOT = programFolder('.');
/** The console's sources. */
const SOURCES = [
  'console/**/*.{ts,tsx,css,html,svg,json}',
  'lib/contract/**/*.ts',
  'lib/client/*.ts',
  'package-lock.json',
];

/**
 * Brings the folder of the built console, building it (1 to 3 s) unless one of the same sources is there.
 * @throws Error with what the build printed
 */
export async function builtConsole(): Promise<string> {
  if (IS_PACKED) return programFolder('console');
  const folder = join(ROOT, 'console', 'dist', await digest());
  if (await exists(folder)) return folder;
  // Moved there whole: another run may be building the same.
  const target = `${folder}.${process.pid}`;
  try {
    await build(target);
    await rename(target, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(target, { recursive: true, force: true });
  }
  return folder;
}

async function build(outDir: string): Promise<void> {
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', '--config', join(ROOT, 'console', 'vite.config.ts'), '--outDir', outDir];
  // A test runner's NODE_ENV would select React's development build, half as large again.
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the console could not be built:\n${printed}`);
}

async function digest(): Promise<string> {
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude: ['console/dist/**'] })).sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(await readFile(join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
