/** System error codes of a machine, or a process, that has no processes, descriptors or memory left. */
const SHORTAGES: ReadonlySet<unknown> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Whether an error, or one of its causes, reports that the worker or its machine could not start a process. */
export function lacksResources(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && SHORTAGES.has(error.code)) || lacksResources(error.cause);
}
