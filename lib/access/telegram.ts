import { timingSafeEqual } from 'node:crypto';
import { signData } from '@telegram-apps/init-data-node';
import * as z from 'zod';
import { ROLES, type Role } from '../contract/roles.ts';
import type { DeploymentSecrets } from './deployment-secrets.ts';
import type { CallerProof } from './perimeter.ts';
import type { Principal } from './principal.ts';

interface TelegramSettings {
  readonly secrets: Pick<DeploymentSecrets, 'lines'>;
  /** Allowed users and their roles, by user id. */
  readonly users: ReadonlyMap<string, Role>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Seconds: the maximum age of init data, and the tolerated clock skew. */
const MAX_AGE_SECONDS = 3_600;
const CLOCK_SKEW_SECONDS = 60;
/** Bytes. Telegram's init data has a few hundred. */
const MAX_INIT_DATA_BYTES = 8_192;

const userSchema = z.object({ id: z.int().positive() });

/**
 * The user of a Telegram Mini App, verified from the call's init data. Telegram signs the sorted fields with a key that
 * is derived from the bot's token (https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app).
 * undefined if the signature is missing or wrong, the data is too old, or the user is not on the list.
 */
export async function verifyTelegram(
  { headers }: Pick<CallerProof, 'headers'>,
  { secrets, users, now }: TelegramSettings,
): Promise<Principal | undefined> {
  const initData = headers['x-telegram-init-data'];
  if (!initData || initData.length > MAX_INIT_DATA_BYTES) return undefined;
  const [botToken] = await secrets.lines('telegram-bot-token');
  const fields = uniqueFields(initData);
  if (botToken === undefined || fields === undefined || !isSigned(fields, botToken)) return undefined;
  const age = now() / 1000 - Number(/^\d{1,12}$/.exec(fields.get('auth_date') ?? '')?.[0] ?? Number.NaN);
  if (!(age >= -CLOCK_SKEW_SECONDS && age <= MAX_AGE_SECONDS)) return undefined;
  const user = userSchema.safeParse(parseJson(fields.get('user') ?? ''));
  const id = String(user.data?.id);
  const role = users.get(id);
  return role === undefined ? undefined : { kind: 'telegram', name: `telegram:${id}`, role };
}

/**
 * Parses the allowed users and their roles: `17:viewer,18:admin`.
 * @throws Error that names an unknown role.
 */
export function telegramUsers(text: string): ReadonlyMap<string, Role> {
  const pairs = text.split(',').filter((pair) => pair !== '');
  return new Map(
    pairs.map((pair) => {
      const [id = '', name] = pair.split(':');
      const role = ROLES.find((known) => known === name);
      if (role === undefined)
        throw new Error(`the Telegram user ${id}: ${name} is no role; known: ${ROLES.join(', ')}`);
      return [id, role];
    }),
  );
}

/** undefined for a repeated name or a line end in a value: either makes one signature valid for two readings. */
function uniqueFields(initData: string): Map<string, string> | undefined {
  const pairs = [...new URLSearchParams(initData)];
  const fields = new Map(pairs);
  const isClear = fields.size === pairs.length && pairs.every(([name, value]) => !/[\r\n]/.test(name + value));
  return isClear ? fields : undefined;
}

/** The library's own `validate` compares by `===`, whose timing shows how much of a guess is right. */
function isSigned(fields: ReadonlyMap<string, string>, botToken: string): boolean {
  const given = Buffer.from(fields.get('hash') ?? '', 'hex');
  const chain = [...fields].filter(([name]) => name !== 'hash').map(([name, value]) => `${name}=${value}`);
  const expected = Buffer.from(signData(chain.sort().join('\n'), botToken), 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
