import type { IDToken } from 'openid-client';
import * as z from 'zod';
import { ROLES, type Role } from '../../contract/roles.ts';

/** Who an ID token speaks of. */
export interface SignedIn {
  readonly subject: string;
  /** Only if the identity provider vouches for it: what is done is written down under it. */
  readonly email: string | undefined;
  /** undefined: this person has no part in the service. */
  readonly role: Role | undefined;
}

export interface RoleSettings {
  /** The claim that lists the person's groups. */
  readonly claim: string;
  readonly groups: ReadonlyMap<Role, string>;
}

/** Some identity providers write a single group as a text, and truth as the text `true`. */
const groupsSchema = z.union([z.array(z.string()), z.string().transform((group) => [group])]).catch([]);
const isTrue = z.literal([true, 'true']);

/** Takes from an ID token who signed in; of several groups the one that may do most counts. */
export function personOfClaims(claims: IDToken, { claim, groups }: RoleSettings): SignedIn {
  const member = groupsSchema.parse(claims[claim] ?? []);
  const roles = ROLES.filter((role) => {
    const group = groups.get(role);
    return group !== undefined && member.includes(group);
  });
  const email = isTrue.safeParse(claims.email_verified).success ? z.email().safeParse(claims.email).data : undefined;
  return { subject: claims.sub, email, role: roles.at(-1) };
}
