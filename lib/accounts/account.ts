import * as z from 'zod';
import { LOGIN_STATES, type LoginState } from '../contract/schemas/account.ts';
import { timestamp } from '../platform/aws/table-clock.ts';

/** Milliseconds. */
export const LOGIN = {
  /** How far a beat of the login process pushes its lease. Who reads the account asks the process itself, and need not wait for its end. */
  lease: 30_000,
  beatEvery: 3_000,
  /** How often workers look for a login to run, and a running one whether it is still wanted. */
  pollEvery: 1_000,
  /** A login that no worker has taken for so long is given up. */
  unclaimed: 15 * 60_000,
} as const;

/** Where the process that runs a login listens. Who presents the nonce gets the code. */
export const listenerSchema = z.object({ address: z.string(), port: z.number(), nonce: z.string() });
export type Listener = z.output<typeof listenerSchema>;

const loginSchema = z.object({
  id: z.string(),
  state: z.enum(LOGIN_STATES),
  requested_at: z.string(),
  worker_id: z.string().optional(),
  lease_until: z.string().optional(),
  listener: listenerSchema.optional(),
  error: z.string().optional(),
});
export type Login = z.output<typeof loginSchema>;

const credentialSchema = z.object({
  /** Name in the folder that the workers share. */
  file: z.string(),
  /** What the vendor calls the account. */
  account: z.string().optional(),
});
export type Credential = z.output<typeof credentialSchema>;

/** A vendor account as the registry holds it: the one truth about which login counts. No code, and no credential. */
export const accountSchema = z.object({
  /** Counts the changes; each is conditional on it. */
  version: z.number().default(0),
  login: loginSchema.optional(),
  credential: credentialSchema.optional(),
  /** Counts whatever became of the credential; a renewal is accepted only for the generation that it began with. */
  generation: z.number().default(0),
  /** Files of logins that are to be revoked and removed. */
  discarded: z.array(z.string()).default([]),
  updated_at: z.string().optional(),
});
export type Account = z.output<typeof accountSchema>;

export function isUnderWay(login: Login | undefined): login is Login & { state: 'starting' | 'awaiting_user' } {
  return login?.state === 'starting' || login?.state === 'awaiting_user';
}

/** Whether a worker is needed for the account: a login is to be run, or one is to be revoked. */
export function needsWorker({ login, discarded }: Account): boolean {
  return isUnderWay(login) || discarded.length > 0;
}

/** The login that a worker is to take. */
export function unclaimed({ login }: Account): Login | undefined {
  return login?.state === 'starting' && login.worker_id === undefined ? login : undefined;
}

/** A login whose process is silent has failed; one that nobody takes expires. The same object: nothing to say. */
export function withoutLostLogin(account: Account, now: number): Account {
  const { login } = account;
  if (!isUnderWay(login)) return account;
  if (login.worker_id === undefined) {
    if (Date.parse(login.requested_at) + LOGIN.unclaimed > now) return account;
    return endedLogin(account, login.id, { state: 'expired', error: 'No worker took the login; start it again.' });
  }
  if (login.lease_until !== undefined && login.lease_until >= timestamp(now)) return account;
  return endedLogin(account, login.id, LOST);
}

/** What becomes of a login whose process has died: the code was in its memory alone. */
export const LOST = { state: 'failed', error: 'The process that ran the login ended; start it again.' } as const;

/** Begins a login, unless one is under way. */
export function started(account: Account, id: string, now: number): Account {
  const settled = withoutLostLogin(account, now);
  if (isUnderWay(settled.login)) return settled;
  return { ...settled, login: { id, state: 'starting', requested_at: timestamp(now) } };
}

/** A worker takes the login; undefined: it is not to be taken any more. */
export function claimed(
  account: Account,
  by: { id: string; workerId: string; listener: Listener },
  now: number,
): Account | undefined {
  const login = unclaimed(account);
  if (login?.id !== by.id) return undefined;
  const lease_until = timestamp(now + LOGIN.lease);
  return { ...account, login: { ...login, worker_id: by.workerId, listener: by.listener, lease_until } };
}

/** The login process lives, and has come so far; undefined: its login is not under way any more. */
export function beaten(
  account: Account,
  id: string,
  state: 'starting' | 'awaiting_user',
  now: number,
): Account | undefined {
  const { login } = account;
  if (!isUnderWay(login) || login.id !== id) return undefined;
  return { ...account, login: { ...login, state, lease_until: timestamp(now + LOGIN.lease) } };
}

/** Ends a login without a link; the same object if it is not under way any more. */
export function endedLogin(
  account: Account,
  id: string,
  end: { state: Exclude<LoginState, 'starting' | 'awaiting_user' | 'linked'>; error?: string },
): Account {
  const { login } = account;
  if (!isUnderWay(login) || login.id !== id) return account;
  const { listener: _listener, lease_until: _lease, ...rest } = login;
  return { ...account, login: { ...rest, ...end } };
}

/** The login has come to a credential; undefined: the login is not under way any more, and the credential not wanted. */
export function linked(account: Account, id: string, credential: Credential): Account | undefined {
  const { login } = account;
  if (!isUnderWay(login) || login.id !== id) return undefined;
  const { listener: _listener, lease_until: _lease, ...rest } = login;
  return {
    ...account,
    login: { ...rest, state: 'linked' },
    credential,
    generation: account.generation + 1,
    discarded: [...account.discarded, ...(account.credential === undefined ? [] : [account.credential.file])],
  };
}

/** A renewed login takes the place of the one that it was made from; undefined: that one does not count any more. */
export function renewed(account: Account, from: number, file: string): Account | undefined {
  if (account.credential === undefined || account.generation !== from) return undefined;
  return { ...account, credential: { ...account.credential, file }, generation: from + 1 };
}

/** Unlinks, and cancels a login that is under way. */
export function unlinked(account: Account): Account {
  const { login: _login, credential, ...rest } = account;
  if (credential === undefined) return rest;
  return { ...rest, generation: account.generation + 1, discarded: [...account.discarded, credential.file] };
}
