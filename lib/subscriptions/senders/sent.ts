/** What keeps a target from taking any message, until a person changes something. Clients read it. */
export const TARGET_FAULTS = [
  'access_refused',
  'channel_unavailable',
  'sender_not_verified',
  'mail_rejected',
  'sending_paused',
] as const;
export type TargetFault = (typeof TARGET_FAULTS)[number];

/** What became of a message. Sentences hold no secrets. */
export type Sent =
  /** `ref`: what names it when it is to be changed. */
  | { readonly sent: true; readonly ref?: string }
  /** It may be sent later. `afterSeconds`: not before, as the service asks. */
  | { readonly retry: string; readonly afterSeconds?: number | undefined }
  /** This message can't be sent, and others can. */
  | { readonly refused: string }
  /** No message can be sent. */
  | { readonly gone: TargetFault; readonly why: string };
