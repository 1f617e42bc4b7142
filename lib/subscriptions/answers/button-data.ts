import { createHmac, timingSafeEqual } from 'node:crypto';

/*
 * What a button of a message carries: which answer of which question of which job a press means, and a signature.
 * Messengers send it back as it was, but a sender of updates can send any text in its place, also that of another
 * chat's button. So the signature binds the button to one subscription and one chat, and nothing is stored for it. That a
 * question is answered once follows from the write of the answer, not from the button.
 *
 * Telegram takes 64 bytes at most, so members of a fixed form are written without what they all share:
 *
 *   1 | 26 of the job's id | 12 of the question's id | 1 for the option, base 36 | 20 of the signature
 */

/** A press of a button. */
export interface Press {
  readonly jobId: string;
  readonly questionId: string;
  /** The index of the option. */
  readonly option: number;
}

/** Where a button is valid. */
export interface ButtonPlace {
  /** A secret of the subscription, such as its bot's token. */
  readonly secret: string;
  readonly subscriptionId: string;
  /** The id of the chat or channel. */
  readonly chat: string;
}

const SIGNATURE_BYTES = 15;
const SIGNED = /^1([0-9a-hjkmnp-tv-z]{26})([0-9a-f]{12})([0-9a-z])$/;
const SIGNED_LENGTH = 40;

/**
 * The data of a button, 60 bytes of ASCII.
 * @throws Error for ids that don't have the form of the service's, and for more than 36 options
 */
export function signButton({ jobId, questionId, option }: Press, place: ButtonPlace): string {
  const signed = `1${jobId.replace(/^job_/, '')}${questionId.replace(/^q_/, '')}${option.toString(36)}`;
  if (!SIGNED.test(signed)) throw new Error(`no button can be made for option ${option} of ${questionId} of ${jobId}`);
  return `${signed}${signatureOf(signed, place)}`;
}

/** The press that the data of a button means in this place; undefined: no button of this place has these data. */
export function readButton(data: string, place: ButtonPlace): Press | undefined {
  const [signed, given] = [data.slice(0, SIGNED_LENGTH), data.slice(SIGNED_LENGTH)];
  const [, job, question, option] = SIGNED.exec(signed) ?? [];
  if (job === undefined || question === undefined || option === undefined) return undefined;
  if (!isSame(given, signatureOf(signed, place))) return undefined;
  return { jobId: `job_${job}`, questionId: `q_${question}`, option: Number.parseInt(option, 36) };
}

/** @throws Error without a secret, with which everybody could sign */
function signatureOf(signed: string, { secret, subscriptionId, chat }: ButtonPlace): string {
  if (secret === '') throw new Error(`the subscription ${subscriptionId} has no secret`);
  // JSON, so that no two places are written alike.
  const text = JSON.stringify(['promptq button', subscriptionId, chat, signed]);
  return createHmac('sha256', secret).update(text).digest().subarray(0, SIGNATURE_BYTES).toString('base64url');
}

/** Compares the texts, not what they decode to: of two texts that decode alike only one is a button's. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
