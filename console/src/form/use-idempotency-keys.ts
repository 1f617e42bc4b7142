import { useState } from 'react';

/** The idempotency keys of a form's requests. */
export interface IdempotencyKeys {
  /** The same key for the same content, until `renew` is called. */
  readonly of: (content: string) => string;
  /** After a success: the same content is then a new request. */
  readonly renew: () => void;
}

/**
 * Gives every content of a form its own key, so that a repeated click takes effect once and changed content always takes
 * effect. A content that is restored after a change has its first key again.
 */
export function useIdempotencyKeys(): IdempotencyKeys {
  const [keys] = useState(() => new Map<string, string>());
  return {
    of: (content) => {
      const key = keys.get(content) ?? crypto.randomUUID();
      keys.set(content, key);
      return key;
    },
    renew: () => keys.clear(),
  };
}
