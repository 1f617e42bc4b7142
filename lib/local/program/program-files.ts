import { fileURLToPath } from 'node:url';

/** In a clone the program is its sources; in what `npm run pack:cli` packs it is one folder of JavaScript. */
export const IS_PACKED = !import.meta.url.endsWith('.ts');

const ROOT = new URL(IS_PACKED ? './' : '../../../', import.meta.url);

/** The path of a program or function, named as in a clone but without its extension: `worker-container/main`. */
export function programFile(name: string): string {
  return fileURLToPath(new URL(`${name}${IS_PACKED ? '.mjs' : '.ts'}`, ROOT));
}

/** A folder of the program, such as `console`. */
export function programFolder(name: string): string {
  return fileURLToPath(new URL(name, ROOT));
}
