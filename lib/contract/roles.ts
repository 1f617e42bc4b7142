/** Roles of users in ascending order: read, act on jobs, everything. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];
