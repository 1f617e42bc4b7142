import type { Logger } from '@aws-lambda-powertools/logger';
import { claimed, endedLogin, type Login } from '../../lib/accounts/account.ts';
import type { AccountStore } from '../../lib/accounts/account-store.ts';
import type { AccountVendor } from '../../lib/contract/vendors.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';
import { accountOfLogin } from '../agents/codex-login.ts';
import type { CredentialFiles } from './credential-files.ts';
import { type DevicePrompt, type LoginFailure, readLoginFailure } from './device-prompt.ts';
import { LoginCli, type LoginCliContext } from './login-cli.ts';
import { type LoginListener, listenForLogin } from './login-listener.ts';
import { LoginWatch } from './login-watch.ts';

export interface LoginContext extends LoginCliContext {
  readonly vendor: AccountVendor;
  readonly accounts: AccountStore;
  readonly credentials: CredentialFiles;
  readonly workerId: string;
  readonly log: Logger;
  /** The account has been linked. */
  readonly onLinked: () => Promise<void>;
}

/** What a person needs, with the time (ms, on the table's clock) at which the code expires. */
type Prompt = DevicePrompt & { readonly expiresAt: number };

/**
 * Runs a login to its end: approval, denial, expiry, cancellation, or the end of this worker (`stopping`). The one-time
 * code exists only in the memory of this process and its CLI.
 */
export async function runLogin(context: LoginContext, login: Login, stopping: AbortSignal): Promise<void> {
  const { accounts, vendor, env, log } = context;
  let prompt: Prompt | undefined;
  const listener = await listenForLogin({
    network: env.PROMPTQ_LOGIN_NETWORK,
    port: env.PROMPTQ_LOGIN_PORT,
    prompt: () => ({ login_id: login.id, ...(prompt !== undefined && shownPrompt(prompt)) }),
  });
  try {
    if (!(await claimLogin(context, login, listener))) return;
    log.info('login taken', { vendor, login_id: login.id });
    const end = await driveLogin(context, login, stopping, (found) => {
      prompt = { ...found, expiresAt: accounts.clock.now() + found.expiresIn };
    }).catch((error: Error): LoginFailure => {
      log.error('the login could not be run', error);
      return { state: 'failed', error: 'The login could not be run; the log of the worker says why.' };
    });
    if (end !== undefined) await accounts.change(vendor, (account) => endedLogin(account, login.id, end));
    log.info('login ended', { vendor, login_id: login.id, ...end });
  } finally {
    // Closed last: once the listener is gone, the record already says how the login ended.
    await listener.close();
  }
}

function shownPrompt({ verificationUri, userCode, expiresAt }: Prompt) {
  return { verification_uri: verificationUri, user_code: userCode, expires_at: timestamp(expiresAt) };
}

async function claimLogin({ accounts, vendor, workerId }: LoginContext, { id }: Login, { where }: LoginListener) {
  const by = { id, workerId, listener: where };
  const account = await accounts.change(vendor, (known, now) => claimed(known, by, now), { quietly: true });
  return account !== undefined;
}

/** @returns how to record the login; undefined: it is recorded already, as linked or as unwanted. */
async function driveLogin(
  context: LoginContext,
  login: Login,
  stopping: AbortSignal,
  onPrompt: (prompt: DevicePrompt) => void,
): Promise<LoginFailure | undefined> {
  const cli = await LoginCli.start(context, login.id);
  const over = Promise.withResolvers<LoginFailure | 'unwanted'>();
  const watch = new LoginWatch(context, login, () => over.resolve('unwanted'));
  const stop = () => over.resolve(STOPPED);
  stopping.addEventListener('abort', stop);
  let clock = setTimeout(() => over.resolve(SILENT), START_TIMEOUT_MS);
  let code: string | undefined;
  void cli.prompted.then((prompt) => {
    code = prompt.userCode;
    onPrompt(prompt);
    void watch.beat('awaiting_user');
    clearTimeout(clock);
    clock = setTimeout(() => over.resolve(EXPIRED), prompt.expiresIn);
  });
  try {
    if (stopping.aborted) stop();
    const end = await Promise.race([cli.exited, over.promise]);
    await cli.end();
    const auth = await cli.credential();
    const isDone = typeof end === 'object' && 'exitCode' in end && end.exitCode === 0;
    if (isDone && auth !== undefined && (await link(context, login, auth))) return undefined;
    // The login may have been approved just as it was cancelled. An unwanted credential must not remain valid.
    if (auth !== undefined) await cli.revoke();
    if (end === 'unwanted') return undefined;
    return 'state' in end ? end : readLoginFailure(cli.stderr, code);
  } finally {
    clearTimeout(clock);
    watch.stop();
    stopping.removeEventListener('abort', stop);
    await cli.end();
    await cli.dispose();
  }
}

async function link(context: LoginContext, login: Login, auth: string): Promise<boolean> {
  if (!(await context.credentials.link(login.id, auth, accountOfLogin(auth)))) return false;
  context.log.info('account linked', { vendor: context.vendor });
  await context.onLinked().catch((error: Error) => context.log.warn('waiting jobs deferred to reconcile-jobs', error));
  return true;
}

/** Milliseconds within which the CLI must have printed the address and the code. */
const START_TIMEOUT_MS = 60_000;

const EXPIRED: LoginFailure = { state: 'expired', error: 'The code was not entered in time.' };
const SILENT: LoginFailure = { state: 'failed', error: "The vendor's CLI gave no code; is the vendor reachable?" };
const STOPPED: LoginFailure = { state: 'failed', error: 'The worker was stopped; start the login again.' };
