import * as z from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { UNACKNOWLEDGED_LIMIT_MS } from '../../jobs/lifecycle/lease.ts';
import {
  digestList,
  flag,
  folderList,
  httpsOrLoopback,
  onFlag,
  place,
  publicOrigin,
  rangeList,
  roleGroups,
  sandboxList,
  secondsList,
  vendorList,
  wholeNumber,
} from './env-fields.ts';

/** The units that a deployment can declare for `timeout`; there is no default. */
export const TIMEOUT_UNITS = ['milliseconds', 'seconds', 'minutes'] as const;
export type TimeoutUnit = (typeof TIMEOUT_UNITS)[number];

/** What every process that touches jobs needs to know. */
const coreEnv = z.object({
  JOBS_TABLE: z.string().min(1),
  REGISTRY_TABLE: z.string().min(1),
  OUTPUT_BUCKET: z.string().min(1),
  QUEUE_URL_HIGH: z.url(),
  QUEUE_URL_NORMAL: z.url(),
  QUEUE_URL_LOW: z.url(),
  QUEUE_URL_DELIVERIES: z.url(),
  PROMPTQ_TIMEOUT_UNIT: z.enum(TIMEOUT_UNITS),
  PROMPTQ_DEFAULT_PROFILE: z.string().min(1).default('codex'),
  /** Root of the projects' workspace folders, as the workers see it. */
  PROMPTQ_WORKSPACES: z.string().startsWith('/').default('/workspaces'),
  /** Further roots, `:`-separated, under which an absolute `cwd` may lie. */
  PROMPTQ_ALLOWED_ROOTS: folderList,
  PROMPTQ_TEMP: z.string().startsWith('/').default('/tmp'),
  /** How often one of the jobs that wait for the vendor account tries whether it is linked. */
  PROMPTQ_ACCOUNT_PROBE_SECONDS: wholeNumber(60, 1, 3600),
  /** The same for the vendor's usage limit, where the vendor doesn't say when it ends. */
  PROMPTQ_USAGE_PROBE_SECONDS: wholeNumber(300, 1, 86_400),
  /** Whether deploy bindings may run commands. */
  PROMPTQ_DEPLOY_COMMANDS: onFlag,
  /** Lets signed calls reach this very machine, without TLS too; only for the local run. */
  PROMPTQ_CALLS_TO_LOOPBACK: flag,
  /** Where browsers and clients find the service, such as `https://promptq.example.com`; without it nobody can sign in. */
  PROMPTQ_PUBLIC_ORIGIN: publicOrigin.optional(),
  /** Where links lead that others get, if not there; the local run keeps the name that browsers use to itself. */
  PROMPTQ_LINK_ORIGIN: publicOrigin.optional(),
  /** Whom logins and jobs of the vendor's own profile talk to; the practice vendor is the local run's. */
  PROMPTQ_VENDOR: z.enum(['practice', 'real']).default('real'),
  /** The vendors whose accounts this deployment has, `,`-separated; or `none`. */
  PROMPTQ_ACCOUNT_VENDORS: vendorList,
  /** Lets projects use repositories of a server on this machine without TLS; only for the local run. */
  PROMPTQ_REPOSITORY_LOOPBACK: flag,
  /** Object stores that are not AWS's often need bucket names in the path. */
  PROMPTQ_S3_PATH_STYLE: flag,
});

/** Environment of the API's functions. */
export const apiEnv = coreEnv.extend({
  PROMPTQ_SANDBOXES: sandboxList,
  PROMPTQ_API_SCOPE_ENFORCE: flag,
  PROMPTQ_MAX_BODY_BYTES: wholeNumber(LIMITS.maxBodyBytes.default, 1, LIMITS.maxBodyBytes.max),
  PROMPTQ_VERSION: z.string().default('0.0.0'),
  /** Where the secrets lie that the deployment shares with others: `ssm:/folder` or `file:/folder`; absent: there are none. */
  PROMPTQ_SECRETS: place.optional(),
  /** From where a perimeter token counts; empty: from everywhere. */
  PROMPTQ_PERIMETER_SOURCES: rangeList,
  /** Users of the Telegram Mini App: `user id:role`, `,`-separated. */
  PROMPTQ_TELEGRAM_USERS: z
    .string()
    .regex(/^$|^\d+:[a-z]+(,\d+:[a-z]+)*$/, 'expected a list such as 1:viewer,2:admin')
    .default(''),
  /**
   * SHA-256 of the secrets by which this deployment's CloudFront distribution proves itself; every other way in is
   * refused, and what CloudFront says of its viewer is true. Empty: there is no CloudFront.
   */
  PROMPTQ_ORIGIN_DIGESTS: digestList,
  /** How many functions of the deployment may stream a followed log at once. */
  PROMPTQ_FOLLOW_STREAMS: wholeNumber(
    LIMITS.follow.streams.default,
    LIMITS.follow.streams.min,
    LIMITS.follow.streams.max,
  ),
  /** Requests a second that one API token may make of one process of one function; 0: no such limit. */
  PROMPTQ_TOKEN_RATE: wholeNumber(0, 0, 10_000),
  /**
   * Where it is written down what only a later stack of a deployment knows: the public origin, and the identity provider;
   * read for what is not set here. `ssm:/name` of a parameter, or `file:/path`.
   */
  PROMPTQ_WHEREABOUTS_AT: place.optional(),
  /**
   * The identity provider that people sign in at by OpenID Connect, such as a Cognito user pool's
   * `https://cognito-idp.REGION.amazonaws.com/POOL`. It must know the client, and
   * `PROMPTQ_PUBLIC_ORIGIN/auth/callback` as where to send browsers back to.
   */
  PROMPTQ_OIDC_ISSUER: httpsOrLoopback.optional(),
  PROMPTQ_OIDC_CLIENT_ID: z.string().min(1).optional(),
  /** Where the client's secret is read from: `ssm:/name` of a parameter, or `file:/path`. Absent, or nothing there: a public client. */
  PROMPTQ_OIDC_CLIENT_SECRET_AT: place.optional(),
  /** The claim of the ID token that lists a person's groups. */
  PROMPTQ_OIDC_ROLE_CLAIM: z.string().min(1).default('cognito:groups'),
  /** Which group has which role: `viewer=GROUP,operator=GROUP,admin=GROUP`. Who is in several has the highest. */
  PROMPTQ_OIDC_ROLES: roleGroups,
  /** How long a browser session lasts without use, and how long at most. */
  PROMPTQ_SESSION_IDLE_SECONDS: wholeNumber(8 * 3600, 1, 30 * 86_400),
  PROMPTQ_SESSION_MAX_SECONDS: wholeNumber(24 * 3600, 1, 30 * 86_400),
  /** The function in the workers' network that asks a login process for its code; absent: it can be asked straight away. */
  LOGIN_READER_FUNCTION: z.string().optional(),
  /** The function that launches workers; absent: somebody else sees to it that there are some. */
  SCALE_WORKERS_FUNCTION: z.string().optional(),
  /** Set by Lambda. */
  AWS_REGION: z.string().default('unknown'),
  /** Only in the local run: its home. */
  PROMPTQ_RUN_HOME: z.string().optional(),
});
export type ApiEnv = z.output<typeof apiEnv>;

/** Environment of the functions that no client calls. */
export const triggerEnv = coreEnv;
export type TriggerEnv = z.output<typeof triggerEnv>;

/** Environment of the function that applies a deployment's configuration. */
export const applyConfigEnv = coreEnv
  .pick({ REGISTRY_TABLE: true, PROMPTQ_S3_PATH_STYLE: true })
  .extend({ PROMPTQ_SANDBOXES: sandboxList });

/** Environment of the function that makes the secret by which the distribution proves itself. */
export const originSecretEnv = z.object({ ORIGIN_SECRET_FOLDER: z.string().regex(/^\/.*[^/]$/) });

/** Environment of the function that publishes the console. */
export const publishConsoleEnv = coreEnv.pick({ PROMPTQ_S3_PATH_STYLE: true }).extend({
  CONSOLE_BUCKET: z.string().min(1),
  /** Where the built console lies beside the function's code. */
  CONSOLE_FOLDER: z.string().startsWith('/').default('/var/task/console'),
});

/** Environment of the function that keeps the counts. */
export const countEnv = triggerEnv.extend({ SCALE_WORKERS_FUNCTION: apiEnv.shape.SCALE_WORKERS_FUNCTION });

/** Environment of the function that launches workers. */
export const scaleEnv = coreEnv
  .pick({
    JOBS_TABLE: true,
    REGISTRY_TABLE: true,
    PROMPTQ_DEPLOY_COMMANDS: true,
    PROMPTQ_VENDOR: true,
    PROMPTQ_ACCOUNT_VENDORS: true,
  })
  .extend({
    /** Most worker tasks at once. */
    PROMPTQ_MAX_WORKERS: wholeNumber(10, 1, 1_000),
    /** Jobs that one worker runs at once. */
    PROMPTQ_CONCURRENCY: wholeNumber(1, 1, 64),
    /** Percent of the workers that are launched on Spot. */
    PROMPTQ_SPOT_WEIGHT: wholeNumber(0, 0, 100),
    /** Where workers run. */
    WORKER_CLUSTER: z.string().min(1),
    WORKER_SUBNETS: z
      .string()
      .min(1)
      .transform((list) => list.split(',')),
    WORKER_SECURITY_GROUP: z.string().min(1),
    /** SSM's parameter that names the task definition which workers are to be of. */
    WORKER_BUILD_PARAMETER: z.string().min(1),
  });
export type ScaleEnv = z.output<typeof scaleEnv>;

/** Environment of the function that makes signed calls. */
export const deliverEnv = triggerEnv.extend({
  /** Seconds between the tries of a call, stretched or shortened by up to a fifth. */
  PROMPTQ_CALL_PAUSES: secondsList,
});
export type DeliverEnv = z.output<typeof deliverEnv>;

/** Environment of the function that removes old jobs. */
export const sweepEnv = triggerEnv.extend({
  /** Days after its end at which a job goes with all that it left; 0: never. */
  PROMPTQ_RETENTION_DAYS: z.coerce.number().min(0).max(36_500).default(0),
});

/** Most slots of one worker. */
const MOST_SLOTS = 64;

/** Accounts of the worker's image for the slots of all workers that run at the same time (decision 0054). */
export const SLOT_ACCOUNTS = 1_000;

/** Environment of the worker. Nothing of it reaches an agent but what `agent-environment.ts` allows. */
export const workerEnv = coreEnv.extend({
  /** The sandboxes that agents can have here. */
  PROMPTQ_SANDBOXES: sandboxList,
  PROMPTQ_CONCURRENCY: wholeNumber(1, 1, MOST_SLOTS),
  /**
   * The first of the user ids under which the slots' processes run, which the image has made; the worker must then be
   * root. Absent: they run as the worker's own user.
   */
  PROMPTQ_SLOT_UID: z.coerce.number().int().min(1_000).max(2_000_000_000).optional(),
  /** The worker's own folder: spools, agents' configuration; private to it. */
  PROMPTQ_WORK_DIR: z.string().startsWith('/').default('/var/lib/promptq'),
  /** Folder that all workers share, for the logins of vendor accounts; private to the workers. */
  PROMPTQ_ACCOUNT_DIR: z.string().startsWith('/').default('/workspaces/.account'),
  /** Where a login process can be asked for its code: on this machine only, or at the task's address in its network. */
  PROMPTQ_LOGIN_NETWORK: z.enum(['loopback', 'private']).default('loopback'),
  /** Port for that; 0: any free one. */
  PROMPTQ_LOGIN_PORT: wholeNumber(0, 0, 65_535),
  /** Days after a job's end at which the folder that it had to itself goes; 0: never. */
  PROMPTQ_WORKSPACE_DAYS: z.coerce.number().min(0).max(36_500).default(7),
  /** After how long without work the worker leaves; absent: never. */
  PROMPTQ_IDLE_SECONDS: z.coerce.number().positive().max(86_400).optional(),
  /** After how long without an acknowledged registration the worker ends. */
  PROMPTQ_UNACKNOWLEDGED_SECONDS: wholeNumber(UNACKNOWLEDGED_LIMIT_MS / 1000, 1, 3_600),
  /** Set by ECS: where a task can be asked what it is. */
  ECS_CONTAINER_METADATA_URI_V4: z.url().optional(),
  /** How long running attempts may go on after SIGTERM. */
  PROMPTQ_STOP_GRACE_SECONDS: wholeNumber(100, 0, 115),
  /** Most bytes kept of one stream of one attempt; more ends the attempt. */
  PROMPTQ_OUTPUT_BYTES: wholeNumber(LIMITS.outputBytes, 1, LIMITS.outputBytes),
  /** Where the practice vendor listens; only in the local run. */
  PROMPTQ_PRACTICE_URL: z.url().optional(),
  PROMPTQ_PRACTICE_KEY: z.string().optional(),
  PROMPTQ_CODEX_BIN: z.string().optional(),
  PROMPTQ_CLAUDE_BIN: z.string().optional(),
  /** Names the local run that a process belongs to; inherited, so that the next run can end what is left of this one. */
  PROMPTQ_RUN_HOME: z.string().optional(),
  PROMPTQ_VERSION: z.string().default('0.0.0'),
  /** File of `NAME=value` lines, private to this user; the local run's secrets. */
  PROMPTQ_SECRETS_FILE: z.string().optional(),
  /** Path in SSM's Parameter Store under which a deployment's secrets lie, ending in `/`. */
  PROMPTQ_SECRETS_PATH: z
    .string()
    .regex(/^\/.*\/$/)
    .optional(),
  OPENAI_API_KEY: z.string().optional(),
  /** claude's account: a key, or else the token of a subscription (`claude setup-token`). */
  ANTHROPIC_API_KEY: z.string().optional(),
  CLAUDE_CODE_OAUTH_TOKEN: z.string().optional(),
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
  HOME: z.string().default('/root'),
  LANG: z.string().default('C.UTF-8'),
});
export type WorkerEnv = z.output<typeof workerEnv>;

/** Variables whose names begin so are secrets that profiles may refer to, in the local run. */
export const SECRET_PREFIX = 'PROMPTQ_SECRET_';

/** The secrets in an environment, by the names that profiles call them. */
export function secretVariables(source: Record<string, string | undefined> = process.env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(source).flatMap(([name, value]) =>
      name.startsWith(SECRET_PREFIX) && value !== undefined && value !== ''
        ? [[name.slice(SECRET_PREFIX.length), value]]
        : [],
    ),
  );
}

/**
 * Reads a process's environment by its schema.
 * @throws Error that names every fault at once, never a value (it may be a secret).
 */
export function readEnv<S extends z.ZodType>(
  schema: S,
  source: Record<string, string | undefined> = process.env,
): z.output<S> {
  const result = schema.safeParse(source);
  if (result.success) return result.data;
  const validationErrors = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`the environment of this process is not complete:\n${validationErrors.join('\n')}`);
}
