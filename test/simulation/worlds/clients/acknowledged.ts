import type { AcknowledgedAnswer } from '../questions.ts';

/** The responses that the clients of a world received, and so may rely on. */
export interface Acknowledged {
  readonly ids: Set<string>;
  readonly idOfKey: Map<string, string>;
  /** Ids of messages, by job and key. */
  readonly messages: Map<string, string>;
  /** By question. */
  readonly answers: Map<string, AcknowledgedAnswer>;
}

export function nothingAcknowledged(): Acknowledged {
  return { ids: new Set(), idOfKey: new Map(), messages: new Map(), answers: new Map() };
}
