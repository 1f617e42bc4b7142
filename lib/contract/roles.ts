/** What a person may do, from least to most: reading, acting on jobs, everything. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];
