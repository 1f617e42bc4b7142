/** Headers of an answer to a request whose idempotency key was used before; none of any other. */
export function replayHeaders(answer: { readonly replayed: boolean; readonly differs: readonly string[] }) {
  if (!answer.replayed) return {};
  const differs = answer.differs.length > 0 && { 'idempotent-differs': answer.differs.join(', ') };
  return { 'idempotent-replayed': 'true', ...differs };
}
