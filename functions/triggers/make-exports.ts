import type { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import { createExportMaking } from '../../lib/composition/exports.ts';
import { isFree } from '../../lib/exports/export-record.ts';
import { type Made, makeExport } from '../../lib/exports/make-export.ts';
import { objectClient, tableClient } from '../../lib/platform/aws/clients.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';
import { makeExportsEnv } from '../../lib/platform/config/function-env.ts';
import { readEnv } from '../../lib/platform/config/read-env.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';

let context: ReturnType<typeof createExportMaking> | undefined;

/** So long before its timeout the function stops, to be called again. */
const SPARE_MS = 60_000;

/**
 * Makes the export that it is called for. Without one, which the local run does, it makes all that are open and removes
 * those that have expired.
 */
export const handler = handleTrigger('make-exports', makeExports);

async function makeExports(
  event: { readonly id?: string },
  log: Logger,
  call?: Partial<Pick<Context, 'getRemainingTimeInMillis'>>,
): Promise<void> {
  context ??= open();
  const opened = context;
  const isTimeUp = () => (call?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY) < SPARE_MS;
  for (const id of event.id === undefined ? await openIds(opened) : [event.id]) {
    const made: Made = await makeExport(opened, id, isTimeUp);
    if (made !== 'left') log.info('made an export', { export_id: id, made });
    if (made === 'again') await opened.wake(id);
  }
}

function open() {
  const env = readEnv(makeExportsEnv);
  const s3 = objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE });
  return createExportMaking({ env, s3, ...tableClient() });
}

async function openIds({ exports, objects, clock }: ReturnType<typeof createExportMaking>): Promise<string[]> {
  for (const { id } of await exports.expired()) {
    await objects.remove(id, 'all');
    await exports.remove(id);
  }
  const now = timestamp(clock.now());
  return (await exports.list()).filter((record) => isFree(record, now)).map(({ id }) => id);
}
