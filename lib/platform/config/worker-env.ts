import * as z from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { coreEnv } from './core-env.ts';
import { agentVariables, sandboxList, wholeNumber } from './env-fields.ts';
import { SURROUNDINGS } from './surroundings.ts';
import { warmWorkersText } from './warm-workers.ts';
import { DEFAULT_SLOT_ACCOUNTS, MAX_SLOT_ACCOUNTS } from './worker-size.ts';

/** Maximum number of slots of one worker. */
const MAX_SLOTS = 64;

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
  /** How many accounts the image has for the slots of all workers. */
  PROMPTQ_SLOT_ACCOUNTS: wholeNumber(DEFAULT_SLOT_ACCOUNTS, DEFAULT_SLOT_ACCOUNTS, MAX_SLOT_ACCOUNTS),
  /** The worker's private folder: spools and agents' configuration. */
  PROMPTQ_WORK_DIR: z.string().startsWith('/').default('/var/lib/promptq'),
  /** The folder, shared by all workers and private to them, for the logins of vendor accounts. */
  PROMPTQ_ACCOUNT_DIR: z.string().startsWith('/').default('/workspaces/.account'),
  /** Where a login process serves its code: on this machine only, or at the task's private address. */
  PROMPTQ_LOGIN_NETWORK: z.enum(['loopback', 'private']).default('loopback'),
  /** Its port; 0: any free one. */
  PROMPTQ_LOGIN_PORT: wholeNumber(0, 0, 65_535),
  /** Seconds without work after which the worker exits; absent: never. */
  PROMPTQ_IDLE_SECONDS: z.coerce.number().positive().max(86_400).optional(),
  /** Workers that stay without work, as JSON of the setting `warmWorkers`. */
  PROMPTQ_WARM_WORKERS: warmWorkersText,
  /** Seconds without an acknowledged registration after which a worker ends: its jobs were taken over long before. */
  PROMPTQ_UNACKNOWLEDGED_SECONDS: wholeNumber(180, 1, 3_600),
  /** Seconds that a running agent waits for the answer to its question. */
  PROMPTQ_ANSWER_WAIT_SECONDS: wholeNumber(LIMITS.questions.waitSeconds, 1, 90),
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
  ...Object.fromEntries(SURROUNDINGS.map((name) => [name, z.string().optional()])),
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
  HOME: z.string().default('/root'),
  LANG: z.string().default('C.UTF-8'),
});
export type WorkerEnv = z.output<typeof workerEnv>;
