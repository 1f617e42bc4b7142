import type { Sent } from './sending.ts';

/** What keeps a target from taking any message, until a person does what stands here. */
const ADVICE = {
  access_refused: 'Check the token or the address: it is not valid, or lacks a right.',
  channel_unavailable: 'Check the channel, and invite the app to it.',
  sender_not_verified: "Have SES verify the deployment's mailFrom or its domain.",
  mail_rejected: 'In the sandbox, SES sends to verified addresses only.',
  sending_paused: 'SES has stopped sending for the account.',
} as const;
export type TargetFault = keyof typeof ADVICE;

/** What became of a message. Sentences hold no secrets. */
export type Outcome =
  /** `ref`: what names it when it is to be changed. */
  | { readonly sent: true; readonly ref?: string }
  /** It may be sent later. `afterSeconds`: not before, as the service asks. */
  | { readonly retry: string; readonly afterSeconds?: number | undefined }
  /** This message can't be sent, and others can. */
  | { readonly refused: string }
  /** No message can be sent. */
  | { readonly gone: TargetFault; readonly why: string };

/** The same as deliveries record it. */
export function sentOf(outcome: Outcome): Sent {
  if ('sent' in outcome) return { outcome: 'sent' };
  if ('retry' in outcome) return { outcome: 'retry', why: outcome.retry, after: outcome.afterSeconds };
  if ('refused' in outcome) return { outcome: 'refused', why: outcome.refused };
  return { outcome: 'gone', why: `${outcome.gone}: ${outcome.why} ${ADVICE[outcome.gone]}` };
}
