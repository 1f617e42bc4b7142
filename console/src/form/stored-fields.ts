import { useEffect, useState } from 'react';
import * as z from 'zod';

/** A form's values, and the version of the stored item that they are based on. */
interface StoredFields<Fields> {
  readonly fields: Fields;
  /** When the item was last changed; null if it is new or built in. */
  readonly openedAt: string | null;
}

/**
 * Form state that survives reloads and navigation in this tab until it is cleared, or again what the form opened with.
 * @param key identifies the form
 * @param schema rejects values that an earlier version of the console stored in another shape
 */
export function useStoredFields<Fields>(key: string, schema: z.ZodType<Fields>, opened: StoredFields<Fields>) {
  const storageKey = `promptq.form.${key}`;
  const [stored, setStored] = useState(() => read(storageKey, schema) ?? opened);
  const isChanged = JSON.stringify(stored.fields) !== JSON.stringify(opened.fields);
  useEffect(() => write(storageKey, isChanged ? stored : undefined), [storageKey, stored, isChanged]);
  return {
    ...stored,
    change: (changed: Partial<Fields> | ((now: Fields) => Partial<Fields>)) =>
      setStored((before) => ({
        ...before,
        fields: { ...before.fields, ...(typeof changed === 'function' ? changed(before.fields) : changed) },
      })),
    forget: () => write(storageKey, undefined),
  };
}

function read<Fields>(storageKey: string, schema: z.ZodType<Fields>): StoredFields<Fields> | undefined {
  try {
    const text = window.sessionStorage.getItem(storageKey);
    if (text === null) return undefined;
    return z.object({ fields: schema, openedAt: z.string().nullable() }).parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Storage may be unavailable or full. The form still holds its values. */
function write(storageKey: string, stored: object | undefined): void {
  try {
    if (stored === undefined) window.sessionStorage.removeItem(storageKey);
    else window.sessionStorage.setItem(storageKey, JSON.stringify(stored));
  } catch {
    // See above.
  }
}
