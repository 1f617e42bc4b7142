import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions, FUNCTION_IDS } from '../../lib/stacks/functions/bundle-functions.ts';

/** The functions that clients call most. */
const MAIN = ['jobs.create', 'jobs.list', 'jobs.read', 'jobs.status', 'jobs.logs', 'jobs.result'] as const;

/** Bytes of the bundles: of the main routes, of the median function and of the largest. */
export async function bundleBytes(): Promise<Record<string, number>> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-bench-'));
  try {
    const { folderOf } = await bundleFunctions(folder);
    const bytesOf = async (id: string) => (await stat(join(folderOf(id), 'index.js'))).size;
    const sizes = (await Promise.all(FUNCTION_IDS.map(bytesOf))).toSorted((a, b) => a - b);
    const main = await Promise.all(MAIN.map(async (id) => [id, await bytesOf(id)] as const));
    return {
      ...Object.fromEntries(main),
      median: sizes[Math.floor(sizes.length / 2)] ?? 0,
      largest: sizes.at(-1) ?? 0,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
