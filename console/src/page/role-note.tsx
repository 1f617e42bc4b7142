import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';

/** Explains to read-only users why a page offers no changes. */
export function RoleNote({ needs, what }: { needs: 'operator' | 'admin'; what: string }) {
  const role = useQuery(sessionQuery).data?.role;
  if (role === undefined || role === null || role === 'admin' || role === needs) return null;
  const who = needs === 'admin' ? 'admins' : 'operators and admins';
  return ` Only ${who} can change ${what}. You are signed in as ${role}.`;
}
