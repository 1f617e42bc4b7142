import type { Reach } from '../../bindings/public-address.ts';
import type { Resolve } from '../../deployments/calls/signed-call.ts';
import type { Notice, NoticeEvent } from '../notice/notice.ts';
import type { SentMessageStore } from '../store/sent-messages.ts';
import type { Subscription } from '../store/subscription.ts';
import type { SesPlace } from './ses-place.ts';

/** One message to send: about one event, or a digest. */
export interface Outgoing {
  /** The same for each try, so that a receiver can recognise what it has got already. */
  readonly id: string;
  /** `change`: the event only changes an earlier message: `TARGETS` says which targets can. */
  readonly kind: 'event' | 'change' | 'digest' | 'test';
  /** The event, or those of the digest, oldest first. */
  readonly events: readonly SentEvent[];
}

/** An event as it is sent to programs: all its members. */
export type SentEvent = NoticeEvent & Readonly<Record<string, unknown>>;

/** What senders need besides the message. */
export interface SendContext {
  readonly reach: Reach;
  readonly resolve?: Resolve;
  readonly now: () => number;
  /** Base addresses of the messengers' interfaces. */
  readonly apis: { readonly telegram: string; readonly slack: string };
  /** The messages that were sent. */
  readonly messages: Pick<SentMessageStore, 'put' | 'byKey'>;
  /** Origin of the console, for links. */
  readonly origin: string | undefined;
  /** Absent: the deployment sends no mails. */
  readonly mail: SesPlace | undefined;
  /** What an event says to people: nothing, one thing or two. */
  readonly noticesOf: (event: SentEvent) => Promise<readonly Notice[]>;
}

/** Where a message goes. */
export interface Recipient {
  readonly subscription: Subscription;
  /** As `TARGETS` separates them from the secrets. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** By field, newest first: a former one is used for a day more where that makes sense. */
  readonly secrets: Readonly<Record<string, readonly string[]>>;
}

/**
 * What became of a try. `sent`: the receiver accepted it. `retry`: it is tried again, `after` so many seconds at the
 * earliest. `refused`: this message can't be sent, but others can; it is dropped. `gone`: nothing can be sent, and the
 * subscription is disabled with that reason. A reason is one sentence; the texts of secrets in it are masked.
 */
export type Sent =
  | { readonly outcome: 'sent'; readonly status?: number | undefined }
  | {
      readonly outcome: 'retry';
      readonly why: string;
      readonly after?: number | undefined;
      readonly status?: number | undefined;
    }
  | { readonly outcome: 'refused' | 'gone'; readonly why: string; readonly status?: number | undefined };

/** Makes one try, within 45 seconds. Never rejects for what the receiver does; an error of ours is retried, too. */
export type Send = (context: SendContext, outgoing: Outgoing, recipient: Recipient) => Promise<Sent>;
