import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { HomeError } from '../run/home-error.ts';

/** The tokens of a login, as the vendor issues them. */
interface LoginTokens {
  readonly id_token: string;
  readonly access_token: string;
  readonly refresh_token: string;
}

const stateSchema = z.object({
  /** By the hash of the refresh token; a used one stays, so that its reuse is detected. */
  refresh: z.record(z.string(), z.object({ family: z.string(), used: z.boolean() })).default({}),
  /** By the hash of the access token: the family, and the time (ms) at which it expires. */
  access: z.record(z.string(), z.object({ family: z.string(), until: z.number() })).default({}),
});
type State = z.output<typeof stateSchema>;

const NOBODY = 'practice@example.com';

/**
 * The practice vendor's logins, kept by hash across restarts. Refresh tokens are single-use, as with the real vendor.
 */
export class PracticeLogins {
  readonly #file: string | undefined;
  readonly #state: State;
  /** Lifetime of an access token in seconds. */
  accessSeconds = 3_600;

  private constructor(file: string | undefined, state: State) {
    this.#file = file;
    this.#state = state;
  }

  /**
   * @param file where they are kept; undefined: in memory
   * @throws HomeError if the file is damaged
   */
  static async open(file: string | undefined): Promise<PracticeLogins> {
    const text = file === undefined ? undefined : await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) return new PracticeLogins(file, stateSchema.parse({}));
    try {
      return new PracticeLogins(file, stateSchema.parse(JSON.parse(text)));
    } catch (error) {
      throw new HomeError(`${file} is damaged. Remove it, and link the account of the practice vendor again`, {
        cause: error,
      });
    }
  }

  async grant(family: string = randomUUID()): Promise<LoginTokens> {
    const until = Date.now() + this.accessSeconds * 1_000;
    const account = {
      chatgpt_account_id: 'practice-account',
      chatgpt_plan_type: 'plus',
      chatgpt_user_id: 'practice-user',
    };
    const claims = { exp: Math.ceil(until / 1_000), 'https://api.openai.com/auth': account };
    const tokens = {
      id_token: jwt({ email: NOBODY, ...claims }),
      access_token: jwt({ jti: randomUUID(), ...claims }),
      refresh_token: `practice-refresh-${randomBytes(24).toString('base64url')}`,
    };
    this.#state.refresh[hashed(tokens.refresh_token)] = { family, used: false };
    this.#state.access[hashed(tokens.access_token)] = { family, until };
    await this.#save();
    return tokens;
  }

  /** New tokens for a refresh token, which is then used up; otherwise the real vendor's error code. */
  async refresh(token: string): Promise<LoginTokens | 'refresh_token_reused' | 'refresh_token_invalidated'> {
    const known = this.#state.refresh[hashed(token)];
    if (known === undefined) return 'refresh_token_invalidated';
    if (known.used) return 'refresh_token_reused';
    known.used = true;
    return await this.grant(known.family);
  }

  /** Ends the login of a refresh token. */
  async revoke(token: string): Promise<void> {
    const family = this.#state.refresh[hashed(token)]?.family;
    for (const kind of [this.#state.refresh, this.#state.access])
      for (const [hash, entry] of Object.entries(kind)) if (entry.family === family) delete kind[hash];
    await this.#save();
  }

  /** Expires every access token: each CLI has to refresh its login. */
  async endAccess(): Promise<void> {
    this.#state.access = {};
    await this.#save();
  }

  opens(accessToken: string): boolean {
    const known = this.#state.access[hashed(accessToken)];
    return known !== undefined && known.until > Date.now();
  }

  async #save(): Promise<void> {
    if (this.#file === undefined) return;
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const fresh = `${this.#file}.${randomUUID()}`;
    await writeFile(fresh, JSON.stringify(this.#state), { mode: 0o600 });
    await rename(fresh, this.#file);
  }
}

function hashed(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** The signature is never checked: the practice vendor finds its tokens by hash. */
function jwt(claims: object): string {
  const parts = [{ alg: 'none', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)));
  return `${parts.map((part) => part.toString('base64url')).join('.')}.practice`;
}
