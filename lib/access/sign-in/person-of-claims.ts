import type { IDToken } from 'openid-client';
import * as z from 'zod';
import { ROLES, type Role } from '../../contract/roles.ts';

/** The person that an ID token identifies. */
export interface SignedIn {
  readonly subject: string;
  /** Only if the identity provider has verified it: actions are recorded under this address. */
  readonly email: string | undefined;
  /** undefined: none of the person's groups has a role here. */
  readonly role: Role | undefined;
}

export interface RoleSettings {
  /** The claim with the person's groups. */
  readonly claim: string;
  readonly groups: ReadonlyMap<Role, string>;
}

/** Some identity providers send a single group as a string, and `true` as the string `true`. */
const groupsSchema = z.union([z.array(z.string()), z.string().transform((group) => [group])]).catch([]);
const isTrue = z.literal([true, 'true']);

/** Reads the person from an ID token; of several groups, the one with the highest role applies. */
export function personOfClaims(claims: IDToken, { claim, groups }: RoleSettings): SignedIn {
  const member = groupsSchema.parse(claims[claim] ?? []);
  const roles = ROLES.filter((role) => {
    const group = groups.get(role);
    return group !== undefined && member.includes(group);
  });
  const email = isTrue.safeParse(claims.email_verified).success ? z.email().safeParse(claims.email).data : undefined;
  return { subject: claims.sub, email, role: roles.at(-1) };
}
