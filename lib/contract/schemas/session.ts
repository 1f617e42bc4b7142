import * as z from 'zod';
import { ROLES } from '../roles.ts';
import { SCOPES } from '../scopes.ts';
import { timestamp } from './fields/text.ts';
import { enforcement } from './token.ts';

/** `GET /session`. */
export const caller = z
  .object({
    kind: z
      .enum(['token', 'perimeter', 'session', 'telegram'])
      .meta({ description: 'Kind of credential that the caller used.' }),
    name: z.string().meta({
      description: 'Name of the caller, as it appears in `created_by` and in the audit log.',
      example: 'user:ada@example.com',
    }),
    email: z.string().nullable(),
    role: z.enum(ROLES).nullable().meta({ description: 'Role of the user. Null for tokens.' }),
    scopes: z.array(z.enum(SCOPES)).nullable().meta({
      description: 'Scopes of an API token. They apply if the deployment enforces scopes. Null for other callers.',
    }),
    ...enforcement,
    expires_at: timestamp.nullable().meta({ description: 'When the credential expires. Use extends a session.' }),
    session_id: z.string().nullable().meta({ description: 'Id of the browser session.' }),
  })
  .meta({ id: 'Caller' });

const session = z
  .object({
    id: z.string(),
    name: z.string().meta({ example: 'user:ada@example.com' }),
    email: z.string().nullable(),
    role: z.enum(ROLES),
    browser: z.string().nullable().meta({
      description: 'Browser and operating system at sign-in, as reported by the browser. Null: unknown.',
      example: 'Firefox on Linux',
    }),
    address: z
      .string()
      .nullable()
      .meta({ description: 'IP address at sign-in. Null: unknown.', example: '203.0.113.7' }),
    created_at: timestamp,
    last_used_at: timestamp.meta({ description: 'Updated at most every five minutes.' }),
    expires_at: timestamp,
    current: z.boolean().meta({ description: 'Whether this session made the request.' }),
  })
  .meta({ id: 'Session' });

export const sessionList = z.object({ items: z.array(session) }).meta({ id: 'SessionList' });
