import type { TargetKind } from '../../contract/schemas/subscription-target.ts';
import { sendEmail } from '../senders/send-email.ts';
import { sendSlack } from '../senders/send-slack.ts';
import { sendWebhook } from '../senders/send-webhook.ts';
import type { Send } from '../senders/sending.ts';
import { sendTelegram } from '../telegram/send-telegram.ts';

/** How each kind of target sends. */
export const SENDERS: Readonly<Record<TargetKind, Send>> = {
  webhook: sendWebhook,
  telegram: sendTelegram,
  slack: sendSlack,
  email: sendEmail,
};
