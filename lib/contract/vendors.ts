/** The vendors whose CLI can be logged in through the API; each has its account at `/{vendor}-account`. */
export const ACCOUNT_VENDORS = ['codex'] as const;
export type AccountVendor = (typeof ACCOUNT_VENDORS)[number];
