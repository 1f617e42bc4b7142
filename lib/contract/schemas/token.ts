import * as z from 'zod';
import { isLegible, LEGIBLE } from '../input/legible.ts';
import { LIMITS } from '../limits.ts';
import { DEFAULT_SCOPES, NOT_ENFORCED, SCOPES } from '../scopes.ts';
import { NAME_NOTE } from './fields/name.ts';
import { timestamp } from './fields/text.ts';

/** What people read in lists and logs: one line of it. */
const name = z
  .string()
  .trim()
  .normalize('NFC')
  .min(1)
  .max(LIMITS.tokenNameLength)
  // As a pattern it would be read without its flag by most who read OpenAPI, and mean something else.
  .refine(isLegible, LEGIBLE)
  .meta({ description: `What the token is for. ${NAME_NOTE}`, example: 'nightly build' });

/** Members of every answer that shows a token's scopes. */
export const enforcement = {
  scopes_enforced: z.boolean().meta({ description: 'Whether scopes limit what tokens may do here.' }),
  scopes_note: z.string().nullable().meta({
    description:
      'What to know about the scopes that are shown; null if they limit the token, or nothing can be done with it.',
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
    expires_at: timestamp.nullable().meta({ description: 'null: never.' }),
    last_used_at: timestamp.nullable().meta({ description: 'Written down at most once an hour.' }),
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
      .datetime({ offset: true })
      .nullish()
      .meta({ description: 'A time to come, RFC 3339; default: never.', example: '2027-01-01T00:00:00Z' }),
  })
  .meta({ id: 'TokenCreation' });

export const createdToken = token
  .extend({ token: z.string().meta({ description: 'The token itself. It is shown this once and kept nowhere.' }) })
  .meta({ id: 'CreatedToken' });
