import * as z from 'zod';
import { BINARY_VARIABLES, CREDENTIAL_VARIABLES } from '../../contract/agents.ts';
import { apiEnv } from '../../platform/config/api-env.ts';
import { deliverEnv, readFeedEnv } from '../../platform/config/function-env.ts';
import { SECRET_PREFIX } from '../../platform/config/read-env.ts';
import { workerEnv } from '../../platform/config/worker-env.ts';
import { readPort, readRunSettings, SettingError } from './run-settings.ts';

/**
 * The settings of a local run: variables of its environment. This table says which process gets which, what is allowed
 * (by the schemas of those processes), and what docs/operate/settings.md says. All are checked before anything starts.
 */

/** Which part reads a setting: functions and worker, the worker alone, sign-in, a further sign-in, the start itself. */
type Reader = 'all' | 'worker' | 'sign-in' | 'identity-provider' | 'start';

interface Setting {
  readonly reader: Reader;
  readonly about: string;
  /** What the local run sets, unless it is the default of the schema. */
  readonly standard?: string;
}

const setting = (reader: Reader, about: string, standard?: string): Setting => ({
  reader,
  about,
  ...(standard !== undefined && { standard }),
});

export const SETTINGS: Readonly<Record<string, Setting>> = {
  PORT: setting('start', 'port of the service; 0: any free one', '8787'),
  PROMPTQ_HOME: setting('start', 'folder of the data; default: one in `~/.local/share/promptq` for each folder'),
  PROMPTQ_CONFIG: setting('start', 'configuration file; default: `promptq.config.yaml` of the current folder'),
  PROMPTQ_ALLOWED_ROOTS: setting('all', 'folders, separated by `:`, in which jobs may work; also `--allow FOLDER`'),
  PROMPTQ_DEFAULT_PROFILE: setting('all', 'profile of jobs that name none', 'practice'),
  PROMPTQ_VENDOR: setting('all', 'vendor of profile `codex` and of logins: `practice` or `real`', 'practice'),
  PROMPTQ_MESSENGERS: setting(
    'start',
    'messengers of subscriptions: `real`, or `practice` for stand-ins; also `--messengers`',
    'real',
  ),
  PROMPTQ_TELEGRAM_UPDATES: setting(
    'all',
    'how answers from Telegram come: `polling`, or `webhook`, for which Telegram has to reach the public origin',
    'polling',
  ),
  PROMPTQ_TELEGRAM_API: setting('all', "address of Telegram's Bot API, for a server of your own"),
  PROMPTQ_SLACK_API: setting('all', "address of Slack's Web API"),
  PROMPTQ_MAIL_FROM: setting('all', 'address that mails of subscriptions come from, by SES; without it there are none'),
  PROMPTQ_SES_API: setting('all', "address of SES's API; default: that of the region"),
  PROMPTQ_CONCURRENCY: setting('worker', 'jobs that run at once, 1 to 64', '2'),
  PROMPTQ_TIMEOUT_UNIT: setting(
    'all',
    "unit of the jobs' `timeout`: `milliseconds`, `seconds` or `minutes`",
    'seconds',
  ),
  PROMPTQ_WORKSPACE_DAYS: setting('all', "days after its end at which a job's private folder is deleted; 0: never"),
  PROMPTQ_RETENTION_DAYS: setting('all', 'days after its end at which a job and its data are deleted; 0: never'),
  PROMPTQ_AGENTS: setting('all', 'agents that jobs may use, separated by `,`, or `none`; `shell` always is'),
  PROMPTQ_SANDBOXES: setting('all', 'sandboxes that profiles may choose, separated by `,`'),
  PROMPTQ_ACCOUNT_VENDORS: setting('all', 'vendors whose accounts can be linked, separated by `,`, or `none`'),
  PROMPTQ_REPOSITORY_LOOPBACK: setting('all', '`1`: repositories may be on a git server of this machine without TLS'),
  PROMPTQ_DEPLOY_COMMANDS: setting('all', '`0`: deploy bindings run no commands', '1'),
  PROMPTQ_CALLS_TO_LOOPBACK: setting('all', '`1`: signed calls may go to this machine, without TLS too'),
  PROMPTQ_CALL_PAUSES: setting('all', 'seconds between the attempts of a signed call, separated by `,`'),
  PROMPTQ_ACCOUNT_PROBE_SECONDS: setting('all', 'seconds after which an account that was missing is tried, at first'),
  PROMPTQ_USAGE_PROBE_SECONDS: setting('all', 'seconds after which a usage limit of unknown length is tried, at first'),
  PROMPTQ_OVERLOAD_PROBE_SECONDS: setting('all', 'seconds after which an overloaded vendor is tried, at first'),
  PROMPTQ_ANSWER_WAIT_SECONDS: setting('worker', 'seconds that a running agent waits for an answer, 1 to 90'),
  PROMPTQ_OUTPUT_BYTES: setting('worker', 'stored bytes of one stream of an attempt; more ends it'),
  PROMPTQ_WATCH_SECONDS: setting('start', 'seconds between checks of waiting and running jobs', '60'),
  PROMPTQ_SWEEP_SECONDS: setting('start', 'seconds between deletions of what has expired', '3600'),
  PROMPTQ_API_SCOPE_ENFORCE: setting('all', '`1`: a token may do only what its scopes allow'),
  PROMPTQ_MAX_BODY_BYTES: setting('all', 'largest request body'),
  PROMPTQ_TOKEN_RATE: setting('all', 'requests a second of one token to one function; 0: no limit'),
  PROMPTQ_FOLLOW_STREAMS: setting('all', 'followed logs that are streamed at once'),
  PROMPTQ_PERIMETER_SOURCES: setting('all', 'address ranges from which the perimeter token is accepted'),
  PROMPTQ_TELEGRAM_USERS: setting('all', 'users of a Telegram Mini App: `USER ID:ROLE`, separated by `,`'),
  PROMPTQ_SIGN_IN_PORT: setting('start', 'port of sign-in, for a container or a tunnel; default: any free one'),
  PROMPTQ_PUBLIC_ORIGIN: setting('sign-in', 'origin under which browsers find the service, such as that of a proxy'),
  PROMPTQ_SESSION_IDLE_SECONDS: setting('sign-in', 'seconds that a browser session lasts without use'),
  PROMPTQ_SESSION_MAX_SECONDS: setting('sign-in', 'seconds that a browser session lasts at most'),
  PROMPTQ_OIDC_ISSUER: setting(
    'identity-provider',
    'your own OpenID Connect provider; without it, sign-in is built in',
  ),
  PROMPTQ_OIDC_CLIENT_ID: setting('identity-provider', 'the client that is registered there'),
  PROMPTQ_OIDC_CLIENT_SECRET_AT: setting('identity-provider', 'where its secret is: `file:/path` or `ssm:/name`'),
  PROMPTQ_OIDC_ROLE_CLAIM: setting('identity-provider', "claim of the ID token with a person's groups"),
  PROMPTQ_OIDC_ROLES: setting(
    'identity-provider',
    'group of each role',
    'viewer=promptq-viewers,operator=promptq-operators,admin=promptq-admins',
  ),
  PROMPTQ_DYNAMODB_ENDPOINT: setting('start', 'address of another DynamoDB instead of the emulator'),
  PROMPTQ_THROTTLE_RATE: setting('start', 'requests a second that the simulated gateway takes; default: no limit'),
  PROMPTQ_THROTTLE_BURST: setting('start', 'requests at once that it takes; default: twice the rate'),
  PROMPTQ_LAMBDA_CONCURRENCY: setting('start', 'functions that run at once, as in an AWS account; default: no limit'),
  PROMPTQ_SLOT_UID: setting('worker', "first user id of the slots' accounts in the image; the run must then be root"),
  PROMPTQ_PLATFORM: setting('worker', 'behaves as on another platform, such as `darwin`; for tests'),
  ...Object.fromEntries(BINARY_VARIABLES.map((name) => [name, setting('worker', "path of the agent's CLI")])),
  ...Object.fromEntries(
    CREDENTIAL_VARIABLES.map((name) => [name, setting('worker', "credential of the vendor's account; kept secret")]),
  ),
};

/** Variables of the same prefix that the command line reads, or a job gets. */
const OTHERS = /^PROMPTQ_(URL|TOKEN|RETRY_SECONDS|RUN_HOME|JOB_ID|ATTEMPT|ATTACHMENTS|PORT|PROJECT|DEADLINE|SLOT)$/;

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...apiEnv.shape,
  ...deliverEnv.shape,
  ...readFeedEnv.shape,
  ...workerEnv.shape,
  PROMPTQ_DYNAMODB_ENDPOINT: z.url(),
  PROMPTQ_MESSENGERS: z.enum(['practice', 'real']),
};

type Source = Readonly<Record<string, string | undefined>>;

/** The names of the settings that a part reads. */
export function settingsOf(reader: Reader): string[] {
  return Object.entries(SETTINGS).flatMap(([name, { reader: own }]) => (own === reader ? [name] : []));
}

/** What a setting is unless it is given, as one would write it; undefined: nothing, or what its description says. */
export function defaultOf(name: string): string | undefined {
  const known = SETTINGS[name]?.standard;
  if (known !== undefined) return known;
  const value = SCHEMAS[name]?.safeParse(undefined).data;
  if (Array.isArray(value)) return value.join(',') || undefined;
  return typeof value === 'number' || typeof value === 'string' ? String(value) || undefined : undefined;
}

/**
 * Checks all settings of a start.
 * @returns a warning for each variable that looks like a setting and is none
 * @throws SettingError with a line for each value that is not allowed
 */
export function checkSettings(source: Source): string[] {
  const faults = Object.keys(SETTINGS).flatMap((name) => {
    const given = source[name];
    const found = given ? SCHEMAS[name]?.safeParse(given) : undefined;
    return found?.success === false ? [`${name} is ${JSON.stringify(given)}: ${found.error.issues[0]?.message}`] : [];
  });
  for (const read of [() => readPort(source.PORT), () => readRunSettings(source)])
    try {
      read();
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      faults.unshift(error.message);
    }
  if (faults.length > 0) throw new SettingError(faults.join('\npromptq: '));
  return Object.keys(source).flatMap((name) => {
    if (!name.startsWith('PROMPTQ_') || name.startsWith(SECRET_PREFIX) || OTHERS.test(name) || name in SETTINGS)
      return [];
    const meant = nearest(name);
    return `${name} is no setting of a local run${meant === undefined ? '' : `; ${meant} is one`}`;
  });
}

/** Most changed letters of a name that is taken for another. */
const MAX_DISTANCE = 3;

function nearest(name: string): string | undefined {
  const [best] = Object.keys(SETTINGS)
    .map((known) => ({ known, distance: distance(name, known) }))
    .toSorted((one, other) => one.distance - other.distance);
  return best !== undefined && best.distance <= MAX_DISTANCE ? best.known : undefined;
}

/** How many letters have to be added, removed or replaced to make one word of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [above, letter] of [...one].entries()) {
    const next = [above + 1];
    for (const [at, wanted] of [...other].entries())
      next.push(Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + (letter === wanted ? 0 : 1)));
    row = next;
  }
  return row.at(-1) ?? 0;
}
