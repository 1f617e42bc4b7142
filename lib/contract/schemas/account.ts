import * as z from 'zod';
import { ACCOUNT_VENDORS } from '../vendors.ts';
import { timestamp } from './fields/text.ts';

/** Where a login stands. The last four are ends. */
export const LOGIN_STATES = ['starting', 'awaiting_user', 'linked', 'failed', 'cancelled', 'expired'] as const;
export type LoginState = (typeof LOGIN_STATES)[number];

/** The vendor account as a client sees it; never a credential. */
export const account = z
  .object({
    vendor: z.enum(ACCOUNT_VENDORS),
    state: z
      .enum(['not_linked', ...LOGIN_STATES])
      .meta({ description: 'Where the newest login stands; without one, whether an account is linked.' }),
    logged_in: z
      .boolean()
      .meta({ description: 'Whether jobs can use a linked account; it stays linked while a new login is under way.' }),
    account: z.string().optional().meta({ description: 'What the vendor calls the linked account.' }),
    verification_uri: z.string().optional().meta({ description: 'The page where the code is to be entered.' }),
    user_code: z
      .string()
      .optional()
      .meta({ description: 'The one-time code; it is kept in the memory of the login process alone.' }),
    expires_at: timestamp.optional(),
    error: z.string().optional().meta({ description: 'Why the login has failed, and what to do.' }),
    updated_at: timestamp,
  })
  .meta({ id: 'Account' });
export type AccountView = z.output<typeof account>;
