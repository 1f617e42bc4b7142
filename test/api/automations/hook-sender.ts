import { createHmac, randomBytes } from 'node:crypto';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';

interface Answer {
  readonly id?: string;
  readonly details?: { readonly reason?: string };
}

/** A body, whole or in chunks without a length. */
type Body = string | Buffer | ReadableStream<Uint8Array>;

export const JOB = { prompt: 'Look at the issue.', profile: 'practice' };
export const JSON_TYPE = { 'content-type': 'application/json' };

/** Creates an automation with a hook, as its sender sees it. */
export async function createHook(service: ServiceUnderTest, hook: object, more: object = {}) {
  const name = `hook ${randomBytes(4).toString('hex')}`;
  const creation = { name, trigger: { hook }, job: JOB, ...more };
  const { status, json, text } = await service.api('POST', '/automations', creation);
  if (status !== 201) throw new Error(text);
  const { path, secret } = json.trigger.hook;
  const post = async (body: Body, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.baseUrl}${path}`, {
      method: 'POST',
      body,
      headers: { ...JSON_TYPE, ...headers },
      duplex: 'half',
    } as RequestInit);
    return { status: answer.status, json: (await answer.json()) as Answer };
  };
  const deliveries = async () => (await service.api('GET', `/automations/${json.id}/deliveries`)).json;
  return { id: json.id as string, secret: secret as string, post, deliveries };
}

export function hexOf(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** The headers of GitHub. */
export function githubHeaders(secret: string, body: string, delivery: string, event = 'issues') {
  return {
    'x-hub-signature-256': `sha256=${hexOf(secret, body)}`,
    'x-github-delivery': delivery,
    'x-github-event': event,
  };
}

/** The headers of Standard Webhooks. @param at milliseconds since 1970 */
export function standardHeaders(secret: string, body: string, id: string, at = Date.now()) {
  const time = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,AAAA v1,${signature}` };
}
