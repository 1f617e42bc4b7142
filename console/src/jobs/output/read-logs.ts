import { ApiError } from '../../api/api-error.ts';
import type { Schemas } from '../../api/client.ts';
import { reach } from '../../api/reach.ts';

export type LogStream = 'stdout' | 'stderr' | 'all';

/**
 * Reads the end of an attempt's streams. The typed client can't express that the type of the response depends on the
 * Accept header.
 * @throws ApiError with the service's message
 */
export async function readLogs(
  id: string,
  { attempt, stream }: { attempt: number; stream: LogStream },
): Promise<Schemas['JobLogs']> {
  const query = new URLSearchParams({ attempt: String(attempt), stream });
  const response = await reach(`/api/v1/jobs/${encodeURIComponent(id)}/logs?${query}`, { credentials: 'same-origin' });
  if (!response.ok) throw ApiError.of(response, await response.json().catch(() => undefined));
  return (await response.json()) as Schemas['JobLogs'];
}
