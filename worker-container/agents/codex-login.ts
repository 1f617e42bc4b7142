import { mkdir, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { codexLoginConfig } from './codex-config.ts';
import { findCodex } from './vendor-binary.ts';

/** Name of the CLI's folder inside that of an attempt. */
export const CODEX_HOME = 'codex-home';

/** A command of the CLI that concerns its login. `home`: its CODEX_HOME. */
export interface LoginCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface LoginCommandOptions {
  readonly home: string;
  /** The allow-listed environment of an agent. */
  readonly env: Readonly<Record<string, string>>;
  /** Model address of the practice vendor, which also serves the login; undefined: the vendor itself. */
  readonly practiceUrl: string | undefined;
}

/** `codex login --device-auth`, which prints address and code, waits, and writes `auth.json` to its home. */
export async function codexLogin(options: LoginCommandOptions): Promise<LoginCommand> {
  const { practiceUrl } = options;
  const issuer = practiceUrl === undefined ? [] : ['--experimental_issuer', new URL(practiceUrl).origin];
  return await loginCommand(['login', '--device-auth', ...issuer], options);
}

/** `codex logout`, which revokes and removes the login in its home. */
export async function codexLogout(options: LoginCommandOptions): Promise<LoginCommand> {
  return await loginCommand(['logout'], options);
}

/** Where codex renews and revokes a login of the practice vendor. */
export function practiceLoginEnvironment(practiceUrl: string): Record<string, string> {
  return {
    CODEX_REFRESH_TOKEN_URL_OVERRIDE: new URL('/oauth/token', practiceUrl).href,
    CODEX_REVOKE_TOKEN_URL_OVERRIDE: new URL('/oauth/revoke', practiceUrl).href,
  };
}

async function loginCommand(args: readonly string[], options: LoginCommandOptions): Promise<LoginCommand> {
  const { home, practiceUrl } = options;
  const { PROMPTQ_CODEX_BIN, ...env } = options.env;
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(`${home}/config.toml`, codexLoginConfig(practiceUrl), { mode: 0o600 });
  return {
    command: await findCodex(PROMPTQ_CODEX_BIN),
    args,
    env: { ...env, CODEX_HOME: home, ...(practiceUrl !== undefined && practiceLoginEnvironment(practiceUrl)) },
  };
}

/**
 * Longest token, several times as long as the vendor's. Jobs can write the file, each spelling of a token is masked, and
 * those of a megabyte would exhaust the worker's memory.
 */
const TOKEN_LENGTH = 16_384;
const token = z.string().max(TOKEN_LENGTH);
const TOKENS = ['id_token', 'access_token', 'refresh_token'] as const;
/** Characters that no program escapes. Other tokens have many spellings, which a job could make slow to find. */
const PLAIN = /^[\w.-]*$/;
const authSchema = z.object({ tokens: z.object({ id_token: token, access_token: token, refresh_token: token }) });

/** Values of an `auth.json` to mask in all output. */
export function secretsOfLogin(auth: string): string[] {
  const { data } = authSchema.safeParse(parsed(auth));
  return data === undefined ? [] : Object.values(data.tokens);
}

/** Whether a text is a complete `auth.json` with a login. */
export function isLogin(auth: string): boolean {
  return authSchema.safeParse(parsed(auth)).success;
}

/**
 * Whether a login can be the vendor's renewal of another: a new access token, all for the same account. Jobs can write the
 * file, and only the vendor can tell whether its tokens are valid.
 */
export function isRenewal(auth: string, before: string): boolean {
  const [next, last] = [auth, before].map((text) => authSchema.safeParse(parsed(text)).data?.tokens);
  if (next === undefined || last === undefined || next.access_token === last.access_token) return false;
  if (TOKENS.some((name) => PLAIN.test(last[name]) && !PLAIN.test(next[name]))) return false;
  return namesSameAccount(next.id_token, last.id_token) && namesSameAccount(next.access_token, last.access_token);
}

/** The vendor's name for the account: its owner's address. */
export function accountOfLogin(auth: string): string | undefined {
  return claimsOf(authSchema.safeParse(parsed(auth)).data?.tokens.id_token ?? '')?.email;
}

const named = z.string().optional().catch(undefined);
const claimsSchema = z.object({
  email: named,
  'https://api.openai.com/auth': z
    .object({ chatgpt_account_id: named, chatgpt_user_id: named })
    .optional()
    .catch(undefined),
});

/** What a JSON Web Token says; undefined: it is none. */
function claimsOf(token: string): z.output<typeof claimsSchema> | undefined {
  return claimsSchema.safeParse(parsed(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).data;
}

function namesSameAccount(token: string, before: string): boolean {
  const [next, last] = [claimsOf(token), claimsOf(before)];
  if (last === undefined) return true;
  const [account, known] = [next, last].map((claims) => claims?.['https://api.openai.com/auth']);
  return (
    next !== undefined &&
    (known?.chatgpt_account_id === undefined || known.chatgpt_account_id === account?.chatgpt_account_id) &&
    (known?.chatgpt_user_id === undefined || known.chatgpt_user_id === account?.chatgpt_user_id)
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
