/** Vendors with a login through the API. Each account is at `/{vendor}-account`. */
export const ACCOUNT_VENDORS = ['codex'] as const;
export type AccountVendor = (typeof ACCOUNT_VENDORS)[number];
