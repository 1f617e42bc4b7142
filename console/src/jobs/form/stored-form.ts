import { type JobFields, NO_FIELDS } from './job-fields.ts';

const KEY = 'promptq.new-job';

/** The unsent input of the form in this tab. */
export function storedForm(): JobFields {
  try {
    const stored: unknown = JSON.parse(window.sessionStorage.getItem(KEY) ?? '{}');
    const entries = Object.entries(stored ?? {}).filter(
      ([name, value]) =>
        name in NO_FIELDS && typeof value === typeof NO_FIELDS[name as keyof JobFields] && name !== 'rule_ids',
    );
    return { ...NO_FIELDS, ...Object.fromEntries(entries) };
  } catch {
    return NO_FIELDS;
  }
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
