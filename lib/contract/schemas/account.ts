import * as z from 'zod';
import { ACCOUNT_VENDORS } from '../vendors.ts';
import { timestamp } from './fields/text.ts';

/** States of a login. The last four are final. */
export const LOGIN_STATES = ['starting', 'awaiting_user', 'linked', 'failed', 'cancelled', 'expired'] as const;
export type LoginState = (typeof LOGIN_STATES)[number];

/** The vendor account as clients see it, without any credential. */
export const account = z
  .object({
    vendor: z.enum(ACCOUNT_VENDORS),
    state: z
      .enum(['not_linked', ...LOGIN_STATES])
      .meta({ description: 'State of the latest login or, if there was none, of the account.' }),
    logged_in: z.boolean().meta({
      description: 'Whether jobs can use the account. A linked account stays usable while a new login is in progress.',
    }),
    account: z.string().optional().meta({ description: 'Name of the linked account, as the vendor reports it.' }),
    verification_uri: z.string().optional().meta({ description: 'Page on which to enter the code.' }),
    user_code: z
      .string()
      .optional()
      .meta({ description: 'One-time code. It is kept only in the memory of the login process.' }),
    expires_at: timestamp.optional(),
    error: z.string().optional().meta({ description: 'Why the login failed, and what to do.' }),
    updated_at: timestamp,
  })
  .meta({ id: 'Account' });
export type AccountView = z.output<typeof account>;
