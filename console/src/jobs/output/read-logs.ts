import { ApiFault } from '../../api/api-fault.ts';
import type { Schemas } from '../../api/client.ts';
import { reach } from '../../api/reach.ts';

export type LogStream = 'stdout' | 'stderr' | 'all';

/**
 * Reads the last of what an attempt has written to each stream. (The answer's type depends on what is accepted, which the
 * typed client can't say.)
 * @throws ApiFault with what the service said
 */
export async function readLogs(
  id: string,
  { attempt, stream }: { attempt: number; stream: LogStream },
): Promise<Schemas['JobLogs']> {
  const query = new URLSearchParams({ attempt: String(attempt), stream });
  const response = await reach(`/api/v1/jobs/${encodeURIComponent(id)}/logs?${query}`, { credentials: 'same-origin' });
  if (!response.ok) throw ApiFault.of(response, await response.json().catch(() => undefined));
  return (await response.json()) as Schemas['JobLogs'];
}
