import { mailOf } from '../render/mail.ts';
import { sendMail } from './email.ts';
import { messagesOf } from './messages-of.ts';
import type { Outgoing, Recipient, SendContext, Sent } from './sending.ts';
import { sentOf } from './sent.ts';

/** Sends a mail for each message. A mail can't be changed, so what settles an earlier one is a mail if it is asked for. */
export async function sendEmail(context: SendContext, outgoing: Outgoing, recipient: Recipient): Promise<Sent> {
  const { mail, origin } = context;
  if (mail === undefined)
    return { outcome: 'gone', why: 'The deployment sends no mails: its setting mailFrom is missing.' };
  const to = (recipient.settings.to as readonly unknown[]).map(String);
  const page = origin === undefined ? undefined : new URL('/subscriptions', origin).href;
  const domain = mail.from.slice(mail.from.lastIndexOf('@') + 1);
  for (const { notice, isWanted } of await messagesOf(context, outgoing)) {
    if (!isWanted) continue;
    const outcome = await sendMail(mail, to, mailOf(notice, { event: outgoing.id, domain, subscriptionPage: page }));
    if (!('sent' in outcome)) return sentOf(outcome);
  }
  return { outcome: 'sent' };
}
