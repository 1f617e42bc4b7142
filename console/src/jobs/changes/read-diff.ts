import { ApiError } from '../../api/api-error.ts';
import { reach } from '../../api/reach.ts';
import type { Job } from '../queries/job-query.ts';

/** Maximum bytes of a diff that are read and shown. The download has everything that is stored. */
export const MAX_SHOWN_BYTES = 2_000_000;

/** The path of an attempt's diff, by default the newest attempt's. */
export function diffAddress(id: string, attempt?: number): string {
  const path = `/api/v1/jobs/${encodeURIComponent(id)}/attachments/${encodeURIComponent('.promptq%2Fchanges.diff')}`;
  return attempt === undefined ? path : `${path}?attempt=${attempt}`;
}

/** The diff of an attempt, up to `MAX_SHOWN_BYTES`. */
export function diffQuery({ id, attempt: newest, status }: Job, attempt = newest) {
  const [address, state] = attempt === newest ? [diffAddress(id), status] : [diffAddress(id, attempt), 'ended'];
  return {
    queryKey: ['diff', id, attempt, state] as const,
    queryFn: async ({ signal }: { signal: AbortSignal }) => await readText(address, signal, MAX_SHOWN_BYTES),
  };
}

/**
 * A text of at most so many bytes.
 * @throws ApiError with the service's message, or UnreachableError
 */
export async function readText(
  address: string,
  signal: AbortSignal,
  most: number,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const response = await reach(address, { credentials: 'same-origin', signal });
  if (!response.ok) throw ApiError.of(response, await response.json().catch(() => undefined));
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let [text, bytes] = ['', 0];
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done || value === undefined) return { text: text + decoder.decode(), isCut: false };
    const room = most - bytes;
    text += decoder.decode(value.subarray(0, room), { stream: true });
    bytes += value.length;
    if (value.length > room) {
      await reader?.cancel();
      return { text, isCut: true };
    }
  }
}
