import { digestOf } from '../notice/digest.ts';
import type { Notice } from '../notice/notice.ts';
import type { Outgoing, SendContext } from './sending.ts';

interface Message {
  readonly notice: Notice;
  /** Whether it is sent; else it only changes an earlier message. */
  readonly isWanted: boolean;
}

/** What people read of a delivery: what changes an earlier message first, which may be repeated without harm. */
export async function messagesOf(
  { noticesOf, origin }: SendContext,
  { id, kind, events }: Outgoing,
): Promise<Message[]> {
  const messages: Message[] = [];
  for (const event of events)
    for (const notice of await noticesOf(event))
      messages.push({ notice, isWanted: kind !== 'change' && !isAside(notice, event.type) });
  if (kind === 'digest') {
    const told = messages.filter(({ isWanted }) => isWanted).map(({ notice }) => notice);
    const [only, ...others] = told;
    if (only === undefined) return [];
    return [{ notice: others.length === 0 ? only : digestOf(told, { key: id, origin }), isWanted: true }];
  }
  return messages.toSorted((one, other) => Number(other.notice.settles) - Number(one.notice.settles));
}

/** A question that the end of a job has closed: only the end is a message. */
function isAside({ key }: Notice, type: string): boolean {
  return key.startsWith('question:') && !type.startsWith('question.');
}
