import * as z from 'zod';
import { isLegible, LEGIBLE } from '../input/legible.ts';
import { LIMITS } from '../limits.ts';
import { DEFAULT_SCOPES, NOT_ENFORCED, SCOPES } from '../scopes.ts';
import { composed, NAME_NOTE } from './fields/name.ts';
import { timestamp } from './fields/text.ts';

/** Name of a token in lists and logs: a single line. */
const name = z
  .string()
  .trim()
  .overwrite(composed(LIMITS.tokenNameLength))
  .min(1)
  .max(LIMITS.tokenNameLength, { abort: true })
  // Not a pattern: OpenAPI tools ignore the Unicode flag and would match something else.
  .refine(isLegible, LEGIBLE)
  .meta({ description: `Name that describes the purpose of the token. ${NAME_NOTE}`, example: 'nightly build' });

/** Fields of every response with a token's scopes. */
export const enforcement = {
  scopes_enforced: z.boolean().meta({ description: 'Whether the deployment enforces scopes.' }),
  scopes_note: z.string().nullable().meta({
    description: 'Note on how the scopes apply. Null if they limit the token, or if the token is suspended or revoked.',
    example: NOT_ENFORCED.token,
  }),
};

export const token = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    ...enforcement,
    state: z.enum(['active', 'suspended', 'revoked']),
    created_at: timestamp,
    expires_at: timestamp.nullable().meta({ description: 'Null: never.' }),
    last_used_at: timestamp.nullable().meta({ description: 'Updated at most once an hour.' }),
  })
  .meta({ id: 'Token' });

export const tokenList = z.object({ items: z.array(token) }).meta({ id: 'TokenList' });

export const tokenCreation = z
  .strictObject({
    name,
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .nullish()
      .meta({ description: `Default: ${DEFAULT_SCOPES.join(', ')}. \`admin\` grants everything.` }),
    expires_at: z.iso
      .datetime({ offset: true, abort: true })
      .nullish()
      .meta({ description: 'A time in the future, in RFC 3339. Default: never.', example: '2027-01-01T00:00:00Z' }),
    replaces: z.string().min(1).max(LIMITS.nameLength).nullish().meta({
      description:
        'Id of a token that this one replaces. The idempotency keys that were used with that token are also those of the new one. That token stays as it is: revoke it once it is no longer used.',
    }),
  })
  .meta({ id: 'TokenCreation' });

export const createdToken = token
  .extend({ token: z.string().meta({ description: 'The token value. It is returned only once and not stored.' }) })
  .meta({ id: 'CreatedToken' });
