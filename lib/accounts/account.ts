import * as z from 'zod';
import { LOGIN_STATES, type LoginState } from '../contract/schemas/account.ts';
import { timestamp } from '../platform/aws/table-clock.ts';

/** Milliseconds. */
export const LOGIN = {
  /** How far a heartbeat extends the lease. Readers ask the login process itself and need not wait for its expiry. */
  lease: 30_000,
  beatEvery: 3_000,
  /** How often workers poll for a login to run, and a running login polls whether it is still wanted. */
  pollEvery: 1_000,
  /** A login that no worker claims within this time expires. */
  unclaimed: 15 * 60_000,
} as const;

/** Where the process that runs a login listens. A caller that presents the nonce gets the code. */
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
  /** The vendor's name for the account. */
  account: z.string().optional(),
});
type Credential = z.output<typeof credentialSchema>;

/** A vendor account in the registry, which alone decides which login is current. It holds no code and no credential. */
export const accountSchema = z.object({
  /** Counts the changes; each is conditional on it. */
  version: z.number().default(0),
  login: loginSchema.optional(),
  credential: credentialSchema.optional(),
  /** Counts every change of the credential. A renewal is accepted only for the generation that it began with. */
  generation: z.number().default(0),
  /** Files of logins to revoke and remove. */
  discarded: z.array(z.string()).default([]),
  updated_at: z.string().optional(),
});
export type Account = z.output<typeof accountSchema>;

export function isUnderWay(login: Login | undefined): login is Login & { state: 'starting' | 'awaiting_user' } {
  return login?.state === 'starting' || login?.state === 'awaiting_user';
}

/** Whether the account needs a worker: to run a login, or to revoke one. */
export function needsWorker({ login, discarded }: Account): boolean {
  return isUnderWay(login) || discarded.length > 0;
}

/** The login that waits for a worker. */
export function unclaimed({ login }: Account): Login | undefined {
  return login?.state === 'starting' && login.worker_id === undefined ? login : undefined;
}

/** Fails a login whose process is silent, and expires one that no worker claims. The same object: nothing to change. */
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

/** The end of a login whose process died: the code existed only in its memory. */
export const LOST = { state: 'failed', error: 'The process that ran the login ended; start it again.' } as const;

/** Begins a login, unless one is in progress. */
export function started(account: Account, id: string, now: number): Account {
  const current = withoutLostLogin(account, now);
  if (isUnderWay(current.login)) return current;
  return { ...current, login: { id, state: 'starting', requested_at: timestamp(now) } };
}

/**
 * Claims the login for a worker; undefined: it can no longer be claimed. The same object: this claim is stored already,
 * which a repeated write finds out.
 */
export function claimed(
  account: Account,
  by: { id: string; workerId: string; listener: Listener },
  now: number,
): Account | undefined {
  const { login: current } = account;
  if (isUnderWay(current) && current.id === by.id && current.listener?.nonce === by.listener.nonce) return account;
  const login = unclaimed(account);
  if (login?.id !== by.id) return undefined;
  const lease_until = timestamp(now + LOGIN.lease);
  return { ...account, login: { ...login, worker_id: by.workerId, listener: by.listener, lease_until } };
}

/** Records a heartbeat of the login process and its progress; undefined: the login is no longer in progress. */
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

/** Ends a login without a link; the same object if it is no longer in progress. */
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

/** Links the account with a login's credential; undefined: the login is no longer in progress. */
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

/** Replaces the login `from` with its renewal; undefined: it is no longer the current one. */
export function renewed(account: Account, from: number, file: string): Account | undefined {
  if (account.credential === undefined || account.generation !== from) return undefined;
  return { ...account, credential: { ...account.credential, file }, generation: from + 1 };
}

/** Unlinks, and cancels a login that is in progress. */
export function unlinked(account: Account): Account {
  const { login: _login, credential, ...rest } = account;
  if (credential === undefined) return rest;
  return { ...rest, generation: account.generation + 1, discarded: [...account.discarded, credential.file] };
}
