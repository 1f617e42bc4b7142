import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import {
  AGENTS,
  AGENTS_OUTSIDE_IMAGE,
  BINARY_VARIABLES,
  CREDENTIAL_VARIABLES,
  OPTIONAL_AGENTS,
} from '../../contract/agents.ts';
import { ROLES, type Role } from '../../contract/roles.ts';
import { SANDBOXES } from '../../contract/schemas/profile.ts';
import { ACCOUNT_VENDORS } from '../../contract/vendors.ts';

/** `1` or not. */
export const flag = z
  .enum(['0', '1', ''])
  .optional()
  .transform((value) => value === '1');

/** A whole number with a default. */
export const wholeNumber = (fallback: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);

/** On unless switched off. */
export const onFlag = z
  .enum(['0', '1', ''])
  .optional()
  .transform((value) => value !== '0');

/** Seconds between the attempts of a signed call: eight attempts within a day. */
const CALL_PAUSES = '5,60,300,1800,7200,21600,32400';

/** Seconds, `,`-separated. */
export const secondsList = z
  .string()
  .regex(/^\d{1,5}(\.\d+)?(,\d{1,5}(\.\d+)?)*$/, 'expected seconds, separated by commas')
  .default(CALL_PAUSES)
  .transform((value) => value.split(',').map(Number));

/** Folders, `:`-separated. */
export const folderList = z
  .string()
  .default('')
  .transform((value) => value.split(':').filter((folder) => folder !== ''));

/** Address ranges of either family, `,`-separated. */
export const rangeList = z
  .string()
  .default('')
  .transform((value) => value.split(',').filter((range) => range !== ''))
  .refine((ranges) => ranges.every((range) => ipaddr.isValidCIDR(range)), 'expected ranges such as 203.0.113.0/24');

/** SHA-256 in hexadecimal, `,`-separated. */
export const digestList = z
  .string()
  .default('')
  .transform((value) => value.split(',').filter((digest) => digest !== ''))
  .refine((digests) => digests.every((digest) => /^[0-9a-f]{64}$/.test(digest)), 'expected digests of 64 characters');

/** Plain http is allowed on this machine only. */
export const httpsOrLoopback = z
  .url()
  .refine(
    (value) => /^(https:\/\/|http:\/\/(127\.0\.0\.1|\[::1\]|([a-z\d-]+\.)?localhost)(:\d+)?(\/|$))/.test(value),
    'expected https; http on loopback only',
  );

/** Base addresses of the messengers' interfaces. */
export const messengerApis = {
  PROMPTQ_TELEGRAM_API: httpsOrLoopback.default('https://api.telegram.org'),
  PROMPTQ_SLACK_API: httpsOrLoopback.default('https://slack.com/api'),
} as const;

/** Mails of subscriptions. */
export const mailEnv = {
  /** The address that they come from; absent: there are none. */
  PROMPTQ_MAIL_FROM: z.email().optional(),
  /** The address of SES; default: the Region's. */
  PROMPTQ_SES_API: httpsOrLoopback.optional(),
} as const;

/** The service's public origin. */
export const publicOrigin = httpsOrLoopback.refine(
  (value) => URL.canParse(value) && new URL(value).origin === value,
  'expected an origin such as https://promptq.example.com: lower case, without a path',
);

/** A location of a text: `ssm:/name` of a parameter, or `file:/path`. */
export const place = z.string().regex(/^(ssm|file):\//);

/** Vendors, `,`-separated, or `none`. */
export const vendorList = z
  .string()
  .default(ACCOUNT_VENDORS.join(','))
  .transform((value) => (value === 'none' ? [] : value.split(',')))
  .pipe(z.array(z.enum(ACCOUNT_VENDORS)));

/** Agents whose CLIs the workers' image has, `,`-separated, or `none`; default: all. The others don't come with it. */
export const agentList = z
  .string()
  .default(OPTIONAL_AGENTS.join(','))
  .transform((value): string[] => [...AGENTS_OUTSIDE_IMAGE, ...(value === 'none' ? [] : value.split(','))])
  .pipe(z.array(z.enum(AGENTS)));

/** Sandboxes of profiles, `,`-separated; default: all. */
export const sandboxList = z
  .string()
  .default(SANDBOXES.join(','))
  .transform((value) => value.split(','))
  .pipe(z.array(z.enum(SANDBOXES)));

/** The variables of the agents: the paths of their CLIs, and the credentials of vendor accounts. */
export const agentVariables = optionalTexts([...BINARY_VARIABLES, ...CREDENTIAL_VARIABLES]);

function optionalTexts<Name extends string>(names: readonly Name[]): Record<Name, z.ZodOptional<z.ZodString>> {
  return Object.fromEntries(names.map((name) => [name, z.string().optional()])) as Record<
    Name,
    z.ZodOptional<z.ZodString>
  >;
}

/** The group of each role: `role=GROUP`, `,`-separated. */
export const roleGroups = z
  .string()
  .default('viewer=promptq-viewers,operator=promptq-operators,admin=promptq-admins')
  .transform((value) => new Map(value.split(',').map((pair) => splitPair(pair))))
  .refine(
    (groups) => [...groups].every(([role, group]) => ROLES.some((known) => known === role) && group !== ''),
    `expected a list such as viewer=GROUP,admin=GROUP; roles: ${ROLES.join(', ')}`,
  )
  .transform((groups): ReadonlyMap<Role, string> => {
    return new Map(ROLES.flatMap((role) => (groups.has(role) ? [[role, groups.get(role) ?? ''] as const] : [])));
  });

function splitPair(pair: string): readonly [string, string] {
  const at = pair.indexOf('=');
  return at === -1 ? [pair.trim(), ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}
