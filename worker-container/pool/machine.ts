import { statfs } from 'node:fs/promises';
import { arch, availableParallelism, freemem, loadavg, platform, release, totalmem } from 'node:os';
import type { Machine } from '../../lib/workers/live-workers.ts';

/** The current state of this worker's machine; in a container, its own share of memory. */
export async function describeMachine(workFolder: string): Promise<Machine> {
  const limit = process.constrainedMemory();
  const total = limit > 0 && limit < totalmem() ? limit : totalmem();
  const free = total < totalmem() ? process.availableMemory() : freemem();
  // A missing folder is omitted; it must not end the worker.
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
