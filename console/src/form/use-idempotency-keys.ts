import { useMemo } from 'react';

/** The idempotency keys of a form's requests. */
export interface IdempotencyKeys {
  /** The same key for the same content, until `renew` is called. */
  readonly of: (content: unknown) => Promise<string>;
  /** After a success: the same content is then a new request. */
  readonly renew: () => void;
}

/** As random as a UUID. */
const KEY_BYTES = 16;

/**
 * Gives each content of a form its own key: a repeated request takes effect once, and changed content always takes
 * effect. Content that is restored after a change has its first key again.
 * @param storageKey for a form whose content survives a reload in this tab, so that its keys do, too
 */
export function useIdempotencyKeys(storageKey?: string): IdempotencyKeys {
  return useMemo(() => {
    let seed = storageKey === undefined ? null : read(storageKey);
    return {
      of: async (content) => {
        seed ??= crypto.randomUUID();
        if (storageKey !== undefined) write(storageKey, seed);
        const bytes = new TextEncoder().encode(`${seed}\0${JSON.stringify(content)}`);
        const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
        return Array.from(hash.subarray(0, KEY_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join('');
      },
      renew: () => {
        seed = null;
        if (storageKey !== undefined) write(storageKey, null);
      },
    };
  }, [storageKey]);
}

function read(storageKey: string): string | null {
  try {
    return window.sessionStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

/** Storage may be unavailable. The keys are then those of the open page. */
function write(storageKey: string, seed: string | null): void {
  try {
    if (seed === null) window.sessionStorage.removeItem(storageKey);
    else window.sessionStorage.setItem(storageKey, seed);
  } catch {
    // See above.
  }
}
