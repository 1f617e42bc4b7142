/** The expiry choices of a new token. */
export interface Expiry {
  readonly id: string;
  readonly label: string;
  readonly days: number | undefined;
}

export const EXPIRIES = [
  { id: '7', label: 'In 7 days', days: 7 },
  { id: '90', label: 'In 90 days', days: 90 },
  { id: '365', label: 'In a year', days: 365 },
  { id: 'never', label: 'Never', days: undefined },
] as const satisfies readonly Expiry[];

/** RFC 3339; undefined for never. */
export function expiryOf({ days }: Expiry): string | undefined {
  return days === undefined ? undefined : new Date(Date.now() + days * 86_400_000).toISOString();
}
