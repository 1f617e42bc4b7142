/** One side of a comparison. */
export interface SideRef {
  readonly id: string;
  /** Undefined for the newest attempt, even if a newer one starts later. */
  readonly attempt?: number;
}

/**
 * Parses `JOB` or `JOB:ATTEMPT`.
 * @returns undefined for other texts
 */
export function parseSide(text: string | null): SideRef | undefined {
  const [, id, attempt] = /^([\w-]+)(?::([1-9]\d{0,8}))?$/.exec(text ?? '') ?? [];
  if (id === undefined) return undefined;
  return { id, ...(attempt !== undefined && { attempt: Number(attempt) }) };
}

/** The address of a comparison. */
export function compareAddress(a: SideRef, b: SideRef): string {
  // A colon needs no escape in a query, and reads better without.
  return `/compare?a=${sideText(a)}&b=${sideText(b)}`;
}

function sideText({ id, attempt }: SideRef): string {
  return `${encodeURIComponent(id)}${attempt === undefined ? '' : `:${attempt}`}`;
}
