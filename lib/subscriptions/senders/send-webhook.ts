import { makeSignedCall } from '../../deployments/calls/signed-call.ts';
import type { Outgoing, Recipient, SendContext, Sent, SentEvent } from './sending.ts';

/**
 * Calls the URL in the format of Standard Webhooks, under the rules of deploy bindings' calls: only addresses of the
 * public internet, no redirects, and limits of the answer's time and size.
 */
export async function sendWebhook(context: SendContext, outgoing: Outgoing, recipient: Recipient): Promise<Sent> {
  const { settings, secrets, subscription } = recipient;
  const result = await makeSignedCall(
    {
      url: String(settings.url),
      id: outgoing.id,
      payload: JSON.stringify(bodyOf(context, outgoing, subscription)),
      secrets: secrets.secret ?? [],
      at: new Date(context.now()),
    },
    context,
  );
  if (!('status' in result)) return { outcome: 'retry', why: result.failed };
  const { status, retryAfterSeconds: after } = result;
  if (status >= 200 && status < 300) return { outcome: 'sent', status };
  if (status === 410) return { outcome: 'gone', why: 'The receiver answered 410: it wants no more calls.', status };
  return { outcome: 'retry', why: `Answered with status ${status}.`, status, after };
}

/** As Standard Webhooks has it: type, time, data. */
function bodyOf({ origin }: SendContext, { kind, events }: Outgoing, { id, name }: Recipient['subscription']) {
  const [first] = events;
  const last = events.at(-1) ?? first;
  const subscription = { id, name };
  const linked = events.map((event) => ({ ...event, link: linkOf(event, origin) }));
  return kind === 'digest'
    ? { type: 'digest', timestamp: last?.time, data: { subscription, events: linked } }
    : { type: first?.type, timestamp: first?.time, data: { subscription, event: linked[0] } };
}

function linkOf({ job_id }: SentEvent, origin: string | undefined): string | null {
  return origin === undefined || job_id == null ? null : new URL(`/jobs/${encodeURIComponent(job_id)}`, origin).href;
}
