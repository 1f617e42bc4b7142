import * as z from 'zod';
import { ROLES } from '../roles.ts';
import { SCOPES } from '../scopes.ts';
import { timestamp } from './fields/text.ts';
import { enforcement } from './token.ts';

/** `GET /session`. */
export const caller = z
  .object({
    kind: z.enum(['token', 'perimeter', 'session', 'telegram']).meta({ description: 'How the caller proved itself.' }),
    name: z
      .string()
      .meta({ description: 'What is written down about who did something.', example: 'user:ada@example.com' }),
    email: z.string().nullable(),
    role: z.enum(ROLES).nullable().meta({ description: 'What a person may do; null for tokens.' }),
    scopes: z.array(z.enum(SCOPES)).nullable().meta({
      description: 'Scopes of an API token; they count where the deployment enforces scopes. null for others.',
    }),
    ...enforcement,
    expires_at: timestamp
      .nullable()
      .meta({ description: 'When the credential stops to count; a session moves on with use.' }),
    session_id: z.string().nullable().meta({ description: 'Id of a browser session.' }),
  })
  .meta({ id: 'Caller' });

const session = z
  .object({
    id: z.string(),
    name: z.string().meta({ example: 'user:ada@example.com' }),
    email: z.string().nullable(),
    role: z.enum(ROLES),
    browser: z.string().nullable().meta({
      description: 'The browser and the system of the sign-in, as the browser itself named them. Null: not known.',
      example: 'Firefox on Linux',
    }),
    address: z
      .string()
      .nullable()
      .meta({ description: 'The IP address of the sign-in. Null: not known.', example: '203.0.113.7' }),
    created_at: timestamp,
    last_used_at: timestamp.meta({ description: 'Written down at most every five minutes.' }),
    expires_at: timestamp,
    current: z.boolean().meta({ description: 'Whether it is the session that asks.' }),
  })
  .meta({ id: 'Session' });

export const sessionList = z.object({ items: z.array(session) }).meta({ id: 'SessionList' });
