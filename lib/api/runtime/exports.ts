import { ExportObjects } from '../../exports/export-objects.ts';
import { ExportStore } from '../../exports/export-store.ts';
import { createCallLater } from '../../platform/aws/call-later.ts';
import { objectClient } from '../../platform/aws/clients.ts';
import type { Core } from './core.ts';

/** The services that start exports. */
export function createExports({ registry, env }: Core) {
  return { exports: new ExportStore(registry), wake: createCallLater('make-exports', env.MAKE_EXPORTS_FUNCTION) };
}

/** The services that read exports and sign links to their files. */
export function createExportLinks(core: Core) {
  const s3 = objectClient({ pathStyle: core.env.PROMPTQ_S3_PATH_STYLE });
  const objects = new ExportObjects(s3, core.env.OUTPUT_BUCKET);
  return { ...createExports(core), clock: core.clock, s3, objects };
}

/** The services that delete exports. */
export function createExportRemoval({ registry, env }: Core) {
  const s3 = objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE });
  return { exports: new ExportStore(registry), objects: new ExportObjects(s3, env.OUTPUT_BUCKET) };
}
