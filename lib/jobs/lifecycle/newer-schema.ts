import { Logger } from '@aws-lambda-powertools/logger';

/**
 * The schema of new jobs. A job keeps its schema whichever version changes it. A new schema is read in one release and
 * written in a later one: docs/operate/upgrades.md explains why.
 */
export const JOB_SCHEMA = 1;

/** The newest schema that this code reads. Jobs of later schemas are skipped. */
export const NEWEST_JOB_SCHEMA: number = JOB_SCHEMA;

/** The version of dispatch messages that are sent. */
export const DISPATCH_MESSAGE_VERSION = 1;

/** A newer version of the service wrote this. It is skipped until that version runs again. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';

  /** @param what such as `job ID` */
  constructor(what: string) {
    super(`${what} was written by a newer version of the service`);
  }
}

/** Limit of the notices that one process logs. */
const MAX_WARNINGS = 1_000;

const log = new Logger({ serviceName: 'promptq-schema' });
const warned = new Set<string>();

/** Logs, once a process, that something is skipped because a newer version wrote it. */
export function warnNewerSchema(what: string, facts: { readonly schema: number; readonly known: number }): void {
  if (warned.has(what) || warned.size >= MAX_WARNINGS) return;
  warned.add(what);
  log.warn('left alone: a newer version of the service made it', { what, ...facts });
}
