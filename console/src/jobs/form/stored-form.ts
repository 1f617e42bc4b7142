import { type JobFields, NO_FIELDS } from './job-fields.ts';

const KEY = 'promptq.new-job';

/** The unsent input of the form in this tab. */
export function storedForm(): JobFields {
  try {
    const stored: unknown = JSON.parse(window.sessionStorage.getItem(KEY) ?? '{}');
    const entries = Object.entries(stored ?? {}).filter(([name, value]) => name in NO_FIELDS && isLike(name, value));
    return { ...NO_FIELDS, ...Object.fromEntries(entries) };
  } catch {
    return NO_FIELDS;
  }
}

/** Whether a stored value has the type of its field. */
function isLike(name: string, value: unknown): boolean {
  const usual = NO_FIELDS[name as keyof JobFields];
  if (!Array.isArray(usual)) return typeof value === typeof usual;
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Stores it for the lifetime of the tab. Storage may be unavailable or full. */
export function storeForm(fields: JobFields | undefined): void {
  try {
    if (fields === undefined) window.sessionStorage.removeItem(KEY);
    else window.sessionStorage.setItem(KEY, JSON.stringify(fields));
  } catch {
    // The form itself still holds it.
  }
}
