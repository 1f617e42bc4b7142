import * as z from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { UNACKNOWLEDGED_LIMIT_MS } from '../../jobs/lifecycle/lease.ts';
import {
  agentList,
  agentVariables,
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
import { warmWorkersText } from './warm-workers.ts';

/** The units that a deployment can choose for `timeout`; there is no default. */
export const TIMEOUT_UNITS = ['milliseconds', 'seconds', 'minutes'] as const;
export type TimeoutUnit = (typeof TIMEOUT_UNITS)[number];

/** Environment of every process that handles jobs. */
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
  /** Root of the projects' workspace folders, in the workers' file system. */
  PROMPTQ_WORKSPACES: z.string().startsWith('/').default('/workspaces'),
  /** Additional roots, `:`-separated, for an absolute `cwd`. */
  PROMPTQ_ALLOWED_ROOTS: folderList,
  PROMPTQ_TEMP: z.string().startsWith('/').default('/tmp'),
  /** Seconds between probes of one job that waits for the vendor account. */
  PROMPTQ_ACCOUNT_PROBE_SECONDS: wholeNumber(60, 1, 3600),
  /** The same for the vendor's usage limit, if the vendor doesn't report its end. */
  PROMPTQ_USAGE_PROBE_SECONDS: wholeNumber(300, 1, 86_400),
  /** Whether deploy bindings may run commands. */
  PROMPTQ_DEPLOY_COMMANDS: onFlag,
  /** Allows signed calls to this machine, without TLS too; only for the local run. */
  PROMPTQ_CALLS_TO_LOOPBACK: flag,
  /** The service's public origin, such as `https://promptq.example.com`; without it sign-in is not available. */
  PROMPTQ_PUBLIC_ORIGIN: publicOrigin.optional(),
  /** The origin of links in outgoing messages, if different; the local run keeps its browser name private. */
  PROMPTQ_LINK_ORIGIN: publicOrigin.optional(),
  /** The vendor of logins and of jobs with the vendor's own profile; the practice vendor is the local run's. */
  PROMPTQ_VENDOR: z.enum(['practice', 'real']).default('real'),
  /** The vendors whose accounts this deployment manages, `,`-separated; or `none`. */
  PROMPTQ_ACCOUNT_VENDORS: vendorList,
  /** The agents that the workers can run, `,`-separated, without the shell; or `none`. */
  PROMPTQ_AGENTS: agentList,
  /** Allows repositories on this machine without TLS; only for the local run. */
  PROMPTQ_REPOSITORY_LOOPBACK: flag,
  /** Required by many object stores other than AWS's. */
  PROMPTQ_S3_PATH_STYLE: flag,
});

/** Environment of the API's functions. */
export const apiEnv = coreEnv.extend({
  PROMPTQ_SANDBOXES: sandboxList,
  PROMPTQ_API_SCOPE_ENFORCE: flag,
  PROMPTQ_MAX_BODY_BYTES: wholeNumber(LIMITS.maxBodyBytes.default, 1, LIMITS.maxBodyBytes.max),
  PROMPTQ_VERSION: z.string().default('0.0.0'),
  /**
   * Location of the secrets that the deployment shares with other systems: `ssm:/folder` or `file:/folder`; absent:
   * none.
   */
  PROMPTQ_SECRETS: place.optional(),
  /** Address ranges from which a perimeter token is accepted; empty: any address. */
  PROMPTQ_PERIMETER_SOURCES: rangeList,
  /** Users of the Telegram Mini App: `user id:role`, `,`-separated. */
  PROMPTQ_TELEGRAM_USERS: z
    .string()
    .regex(/^$|^\d+:[a-z]+(,\d+:[a-z]+)*$/, 'expected a list such as 1:viewer,2:admin')
    .default(''),
  /**
   * SHA-256 of the secrets by which this deployment's CloudFront distribution proves itself; requests without one are
   * rejected, and CloudFront's client address is trusted. Empty: there is no CloudFront.
   */
  PROMPTQ_ORIGIN_DIGESTS: digestList,
  /** Maximum number of the deployment's functions that stream a followed log. */
  PROMPTQ_FOLLOW_STREAMS: wholeNumber(
    LIMITS.follow.streams.default,
    LIMITS.follow.streams.min,
    LIMITS.follow.streams.max,
  ),
  /** Requests a second that one API token may make of one process of one function; 0: unlimited. */
  PROMPTQ_TOKEN_RATE: wholeNumber(0, 0, 10_000),
  /**
   * Location of the values that only a later stack knows: the public origin and the identity provider; read for values
   * that are not set here. `ssm:/name` of a parameter, or `file:/path`.
   */
  PROMPTQ_WHEREABOUTS_AT: place.optional(),
  /**
   * The OpenID Connect issuer at which people sign in, such as a Cognito user pool's
   * `https://cognito-idp.REGION.amazonaws.com/POOL`. The client must be registered there, with
   * `PROMPTQ_PUBLIC_ORIGIN/auth/callback` as its redirect URI.
   */
  PROMPTQ_OIDC_ISSUER: httpsOrLoopback.optional(),
  PROMPTQ_OIDC_CLIENT_ID: z.string().min(1).optional(),
  /** Location of the client's secret: `ssm:/name` of a parameter, or `file:/path`. Absent or empty: a public client. */
  PROMPTQ_OIDC_CLIENT_SECRET_AT: place.optional(),
  /** The claim of the ID token with a person's groups. */
  PROMPTQ_OIDC_ROLE_CLAIM: z.string().min(1).default('cognito:groups'),
  /** The group of each role: `viewer=GROUP,operator=GROUP,admin=GROUP`. In several groups, the highest role applies. */
  PROMPTQ_OIDC_ROLES: roleGroups,
  /** Seconds that a browser session lasts without use, and in total. */
  PROMPTQ_SESSION_IDLE_SECONDS: wholeNumber(8 * 3600, 1, 30 * 86_400),
  PROMPTQ_SESSION_MAX_SECONDS: wholeNumber(24 * 3600, 1, 30 * 86_400),
  /** The function in the workers' network that asks a login process for its code; absent: it is reachable directly. */
  LOGIN_READER_FUNCTION: z.string().optional(),
  /** The function that launches workers; absent: workers are started by other means. */
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

/** Environment of the function that creates the origin secret. */
export const originSecretEnv = z.object({ ORIGIN_SECRET_FOLDER: z.string().regex(/^\/.*[^/]$/) });

/** Environment of the function that publishes the console. */
export const publishConsoleEnv = coreEnv.pick({ PROMPTQ_S3_PATH_STYLE: true }).extend({
  CONSOLE_BUCKET: z.string().min(1),
  /** The folder of the built console beside the function's code. */
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
    /** Maximum number of worker tasks. */
    PROMPTQ_MAX_WORKERS: wholeNumber(10, 1, 1_000),
    /** Jobs that one worker runs at once. */
    PROMPTQ_CONCURRENCY: wholeNumber(1, 1, 64),
    /** Percent of the workers that are launched on Spot. */
    PROMPTQ_SPOT_WEIGHT: wholeNumber(0, 0, 100),
    /** The cluster and network of workers. */
    WORKER_CLUSTER: z.string().min(1),
    WORKER_SUBNETS: z
      .string()
      .min(1)
      .transform((list) => list.split(',')),
    WORKER_SECURITY_GROUP: z.string().min(1),
    /** Workers that run without work, as JSON of the setting `warmWorkers`. */
    PROMPTQ_WARM_WORKERS: warmWorkersText,
    /** The SSM parameter with the workers' current task definition. */
    WORKER_BUILD_PARAMETER: z.string().min(1),
  });
export type ScaleEnv = z.output<typeof scaleEnv>;

/** Environment of the function that makes signed calls. */
export const deliverEnv = triggerEnv.extend({
  /** Seconds between the attempts of a call, varied by up to a fifth. */
  PROMPTQ_CALL_PAUSES: secondsList,
});
export type DeliverEnv = z.output<typeof deliverEnv>;

/** Environment of the function that removes old jobs. */
export const sweepEnv = triggerEnv.extend({
  /** Days after its end at which a job and all its data are deleted; 0: never. */
  PROMPTQ_RETENTION_DAYS: z.coerce.number().min(0).max(36_500).default(0),
});

/** Maximum number of slots of one worker. */
const MAX_SLOTS = 64;

/** Accounts in the worker's image for the slots of all concurrent workers (decision 0054). */
export const SLOT_ACCOUNTS = 1_000;

/** Environment of the worker. An agent gets only what `agent-environment.ts` allows. */
export const workerEnv = coreEnv.extend({
  /** The sandboxes available to agents here. */
  PROMPTQ_SANDBOXES: sandboxList,
  PROMPTQ_CONCURRENCY: wholeNumber(1, 1, MAX_SLOTS),
  /**
   * The first of the image's user ids for the slots' processes; the worker must then be root. Absent: they run as the
   * worker's own user.
   */
  PROMPTQ_SLOT_UID: z.coerce.number().int().min(1_000).max(2_000_000_000).optional(),
  /** The worker's private folder: spools and agents' configuration. */
  PROMPTQ_WORK_DIR: z.string().startsWith('/').default('/var/lib/promptq'),
  /** The folder, shared by all workers and private to them, for the logins of vendor accounts. */
  PROMPTQ_ACCOUNT_DIR: z.string().startsWith('/').default('/workspaces/.account'),
  /** Where a login process serves its code: on this machine only, or at the task's private address. */
  PROMPTQ_LOGIN_NETWORK: z.enum(['loopback', 'private']).default('loopback'),
  /** Its port; 0: any free one. */
  PROMPTQ_LOGIN_PORT: wholeNumber(0, 0, 65_535),
  /** Days after a job's end at which its private folder is deleted; 0: never. */
  PROMPTQ_WORKSPACE_DAYS: z.coerce.number().min(0).max(36_500).default(7),
  /** Seconds without work after which the worker exits; absent: never. */
  PROMPTQ_IDLE_SECONDS: z.coerce.number().positive().max(86_400).optional(),
  /** Workers that stay without work, as JSON of the setting `warmWorkers`. */
  PROMPTQ_WARM_WORKERS: warmWorkersText,
  /** Seconds without an acknowledged registration after which the worker ends. */
  PROMPTQ_UNACKNOWLEDGED_SECONDS: wholeNumber(UNACKNOWLEDGED_LIMIT_MS / 1000, 1, 3_600),
  /** Set by ECS: the task's metadata endpoint. */
  ECS_CONTAINER_METADATA_URI_V4: z.url().optional(),
  /** Seconds that running attempts may continue after SIGTERM. */
  PROMPTQ_STOP_GRACE_SECONDS: wholeNumber(100, 0, 115),
  /** Maximum number of stored bytes of one stream of one attempt; more ends the attempt. */
  PROMPTQ_OUTPUT_BYTES: wholeNumber(LIMITS.outputBytes, 1, LIMITS.outputBytes),
  /** The practice vendor's URL; only in the local run. */
  PROMPTQ_PRACTICE_URL: z.url().optional(),
  PROMPTQ_PRACTICE_KEY: z.string().optional(),
  /** The local run that a process belongs to; inherited, so that the next run can end leftover processes. */
  PROMPTQ_RUN_HOME: z.string().optional(),
  PROMPTQ_VERSION: z.string().default('0.0.0'),
  /** File of `NAME=value` lines, readable by this user only; the local run's secrets. */
  PROMPTQ_SECRETS_FILE: z.string().optional(),
  /** Path in SSM's Parameter Store of a deployment's secrets, ending in `/`. */
  PROMPTQ_SECRETS_PATH: z
    .string()
    .regex(/^\/.*\/$/)
    .optional(),
  ...agentVariables,
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
  HOME: z.string().default('/root'),
  LANG: z.string().default('C.UTF-8'),
});
export type WorkerEnv = z.output<typeof workerEnv>;

/** Whether this process runs a function in Lambda, which sets the variable. */
export function isLambda(): boolean {
  return process.env.AWS_LAMBDA_INITIALIZATION_TYPE !== undefined;
}

/** Prefix of the variables that hold secrets for profiles, in the local run. */
export const SECRET_PREFIX = 'PROMPTQ_SECRET_';

/** The secrets in an environment, under the names that profiles use. */
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
 * @throws Error that lists every fault at once, never a value (it may be a secret)
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
