import { InvalidFieldError } from '../../../contract/errors.ts';
import { STREAMS, type StreamName } from '../../receipts/receipt.ts';
import { streamsOf } from './output-answer.ts';

/** Byte offsets of the followed streams. */
export type Offsets = Readonly<Partial<Record<StreamName, number>>>;

/** How far a client has followed the output: everything before these offsets of this attempt has been sent. */
export interface FollowPosition {
  readonly attempt: number;
  readonly offsets: Offsets;
}

/** The `id` of an event: `12`, or `12,34` of stdout and stderr; after the first attempt with its number: `2:12`. */
export function eventId({ attempt, offsets }: FollowPosition): string {
  const numbers = STREAMS.flatMap((stream) => offsets[stream] ?? []).join(',');
  // Without it the offset of an attempt that has ended meanwhile would be applied to the next attempt.
  return attempt === 1 ? numbers : `${attempt}:${numbers}`;
}

/**
 * The position that the `id` of an event of these streams encodes.
 * @throws InvalidFieldError if it encodes none
 */
export function readEventId(id: string, stream: StreamName | 'all'): FollowPosition {
  const streams = streamsOf(stream);
  const match = /^(?:([1-9]\d{0,5}):)?(\d{1,16}(?:,\d{1,16})?)$/.exec(id);
  const numbers = (match?.[2] ?? '').split(',').map(Number);
  if (match === null || numbers.length !== streams.length) {
    throw InvalidFieldError.of(
      'last-event-id',
      `received ${JSON.stringify(id)}; with stream=${stream} expected an event's id such as ${stream === 'all' ? '12,34' : '12'}`,
    );
  }
  return {
    attempt: Number(match[1] ?? 1),
    offsets: Object.fromEntries(streams.map((name, at) => [name, numbers[at]])),
  };
}
