import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import { oneLine } from '../notice/foreign-text.ts';
import type { Mail } from '../render/mail.ts';
import { callService } from './call-service.ts';
import type { Outcome, TargetFault } from './sent.ts';
import type { SesPlace } from './ses-place.ts';

/*
 * Mails by SES v2, as one signed POST: its SDK client would more than double the function that sends. A new account is in
 * the sandbox, in which SES sends to verified addresses only, so what it refuses is shown with the subscription until a
 * person has verified an address or asked for production access.
 */

/** Exceptions of SES that no later try changes, by what a person has to do. */
const GONE: Readonly<Record<string, TargetFault>> = {
  // In the sandbox, also for a recipient that is not verified; its message says which address.
  MessageRejected: 'mail_rejected',
  MailFromDomainNotVerifiedException: 'sender_not_verified',
  NotFoundException: 'sender_not_verified',
  AccountSuspendedException: 'sending_paused',
  SendingPausedException: 'sending_paused',
  AccessDeniedException: 'access_refused',
  AccessDenied: 'access_refused',
};
/** Seconds until a day's quota may have room again; SES gives no time. */
const QUOTA_SECONDS = 3_600;

const Sha256 = Hash.bind(null, 'sha256');
const answered = z.object({ MessageId: z.string() });
const excepted = z.object({ message: z.string().optional(), Message: z.string().optional() });

/** Sends one mail to all recipients. */
export async function sendMail(place: SesPlace, to: readonly string[], mail: Mail): Promise<Outcome> {
  const { credentials } = place;
  const region = await place.region();
  const endpoint = place.endpoint ?? `https://email.${region}.amazonaws.com`;
  const url = new URL('/v2/email/outbound-emails', endpoint);
  const signer = new SignatureV4({ credentials, region, service: 'ses', sha256: Sha256 });
  const { headers, body } = await signer.sign({
    ...{ method: 'POST', protocol: url.protocol, hostname: url.hostname, path: url.pathname },
    headers: { host: url.host, 'content-type': 'application/json' },
    body: JSON.stringify(requestOf(place.from, to, mail)),
  });
  const answer = await callService(url.href, { headers, body: String(body) });
  if ('failed' in answer) return { retry: answer.failed };
  const json = parsed(answer.text);
  const success = answered.safeParse(json).data;
  if (answer.status === 200 && success !== undefined) return { sent: true, ref: success.MessageId };
  // `TYPE:http://…` or `NAMESPACE#TYPE`.
  const type = (answer.headers.get('x-amzn-errortype') ?? '').split(':')[0]?.split('#').at(-1) ?? '';
  const known = Object.hasOwn(GONE, type) ? GONE[type] : undefined;
  const { message, Message } = excepted.safeParse(json).data ?? {};
  const why = `SES answered ${oneLine(type, 60)}: ${oneLine(message ?? Message ?? 'no reason', 300)}`;
  if (known !== undefined) return { gone: known, why };
  if (type === 'BadRequestException') return { refused: why };
  return {
    retry: `SES answered with status ${answer.status}${/^\w{1,60}$/.test(type) ? ` and ${type}` : ''}.`,
    afterSeconds: type === 'LimitExceededException' ? QUOTA_SECONDS : answer.retryAfterSeconds,
  };
}

function requestOf(from: string, to: readonly string[], { subject, text, html, headers }: Mail): object {
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return {
    FromEmailAddress: from,
    Destination: { ToAddresses: to },
    Content: {
      Simple: {
        Subject: utf8(subject),
        Body: { Text: utf8(text), Html: utf8(html) },
        Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
      },
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
