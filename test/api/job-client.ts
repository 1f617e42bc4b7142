import { hashToken } from '../../lib/access/tokens/api-tokens.ts';
import { jobIdOf } from '../../lib/jobs/lifecycle/cause.ts';
import type { ServiceUnderTest } from '../local-run/local-service.ts';

/** Creates a job that must be accepted. @returns its id */
export async function createJob(service: ServiceUnderTest, body: Record<string, unknown>): Promise<string> {
  const { status, json, text } = await service.api('POST', '/jobs', body);
  if (status !== 201) throw new Error(`the job was refused: ${status} ${text}`);
  return json.id;
}

/** Waits until a job has ended. @returns its status as `GET /jobs/{id}/status` shows it */
export async function untilEnded(service: ServiceUnderTest, id: string): Promise<{ status: string; attempt: number }> {
  for (;;) {
    const { json } = await service.api('GET', `/jobs/${id}/status?wait=25`);
    if (json.terminal) return json;
  }
}

/** The id that a job of the service's token gets from its idempotency key. */
export function idOfKey({ token }: ServiceUnderTest, key: string): string {
  return jobIdOf({ kind: 'client', key }, `token ${hashToken(token)}`);
}
