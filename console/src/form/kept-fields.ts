import { useEffect, useState } from 'react';
import * as z from 'zod';

/** What a form holds, and of which version of the stored item it was opened. */
interface Kept<Fields> {
  readonly fields: Fields;
  /** When the item was last changed; null: it is new or built in. */
  readonly openedAt: string | null;
}

/**
 * State of a form that outlives a reload and other pages, in this tab, until it is forgotten.
 * @param key names the form
 * @param schema what is kept under another shape, by an earlier version of the console, is not taken
 */
export function useKeptFields<Fields>(key: string, schema: z.ZodType<Fields>, opened: Kept<Fields>) {
  const storageKey = `promptq.form.${key}`;
  const [kept, setKept] = useState(() => read(storageKey, schema) ?? opened);
  const isChanged = kept.fields !== opened.fields;
  useEffect(() => {
    if (isChanged) write(storageKey, kept);
  }, [storageKey, kept, isChanged]);
  return {
    ...kept,
    change: (changed: Partial<Fields>) =>
      setKept((before) => ({ ...before, fields: { ...before.fields, ...changed } })),
    forget: () => write(storageKey, undefined),
  };
}

function read<Fields>(storageKey: string, schema: z.ZodType<Fields>): Kept<Fields> | undefined {
  try {
    const text = window.sessionStorage.getItem(storageKey);
    if (text === null) return undefined;
    return z.object({ fields: schema, openedAt: z.string().nullable() }).parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A browser that keeps nothing, or not so much, is no fault: the form itself still holds it. */
function write(storageKey: string, kept: object | undefined): void {
  try {
    if (kept === undefined) window.sessionStorage.removeItem(storageKey);
    else window.sessionStorage.setItem(storageKey, JSON.stringify(kept));
  } catch {
    // See above.
  }
}
