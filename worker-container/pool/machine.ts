import { statfs } from 'node:fs/promises';
import { arch, availableParallelism, freemem, loadavg, platform, release, totalmem } from 'node:os';
import type { Machine } from '../../lib/workers/live-workers.ts';

/** What this worker runs on, as of now; in a container its own share of memory. */
export async function describeMachine(workFolder: string): Promise<Machine> {
  const limit = process.constrainedMemory();
  const total = limit > 0 && limit < totalmem() ? limit : totalmem();
  const free = total < totalmem() ? process.availableMemory() : freemem();
  // A folder that is gone is told by its absence; the worker lives on.
  const disk = await statfs(workFolder).catch(() => undefined);
  return {
    cpus: availableParallelism(),
    load_1m: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    architecture: arch(),
    platform: `${platform()} ${release()}`,
    node_version: process.version,
    memory: { total_bytes: total, free_bytes: Math.min(free, total) },
    ...(disk && { storage: { total_bytes: disk.blocks * disk.bsize, free_bytes: disk.bavail * disk.bsize } }),
  };
}
