/** Says that a request with an idempotency key of an earlier one changed nothing. @param what the earlier one created */
export function replayNote(what: string, differs: readonly string[]): string {
  const rest = differs.length === 0 ? '' : `; it was requested with another ${differs.join(', ')}`;
  return `${what} exists already: its idempotency key was used before${rest}`;
}
