import { Webhook } from 'standardwebhooks';

/** The body of a signed call: a job of the binding's project has succeeded. */
export interface WebhookEvent {
  readonly type: 'job.succeeded';
  readonly timestamp: string;
  readonly data: {
    readonly job: {
      readonly id: string;
      readonly status: 'SUCCEEDED';
      readonly attempt: number;
      readonly project: string;
      readonly profile: string;
      readonly created_by: string;
      readonly exit_code: number | null;
    } & Readonly<Record<string, unknown>>;
    readonly result_path: string;
    readonly result_url: string | null;
  };
}

/**
 * Verifies a signed call of a deploy binding: its signature, and that it was signed within the last five minutes.
 * @param body the received bytes as text, not parsed and serialized again
 * @param secret the secret that the answer which created the binding returned
 * @returns the parsed body. Receivers recognize a repeated call by the header `webhook-id`.
 * @throws Error if the call is not authentic
 */
export function verifyWebhook(
  body: string,
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  secret: string,
): WebhookEvent {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const given = Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value ?? '')]));
  return new Webhook(secret).verify(body, given) as WebhookEvent;
}
