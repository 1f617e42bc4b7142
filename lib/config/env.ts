import * as z from 'zod';
import { LIMITS } from '../contract/limits.ts';

/** The units that a deployment can declare for `timeout`; there is no default. */
export const TIMEOUT_UNITS = ['milliseconds', 'seconds', 'minutes'] as const;
export type TimeoutUnit = (typeof TIMEOUT_UNITS)[number];

const flag = z
  .enum(['0', '1', ''])
  .optional()
  .transform((value) => value === '1');

const wholeNumber = (fallback: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);

const folderList = z
  .string()
  .default('')
  .transform((value) => value.split(':').filter((folder) => folder !== ''));

/** What every process that touches jobs needs to know. */
const coreEnv = z.object({
  JOBS_TABLE: z.string().min(1),
  REGISTRY_TABLE: z.string().min(1),
  OUTPUT_BUCKET: z.string().min(1),
  QUEUE_URL_HIGH: z.url(),
  QUEUE_URL_NORMAL: z.url(),
  QUEUE_URL_LOW: z.url(),
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
  /** Object stores that are not AWS's often need bucket names in the path. */
  PROMPTQ_S3_PATH_STYLE: flag,
});

/** Environment of the API's functions. */
export const apiEnv = coreEnv.extend({
  PROMPTQ_API_SCOPE_ENFORCE: flag,
  PROMPTQ_MAX_BODY_BYTES: wholeNumber(LIMITS.maxBodyBytes.default, 1, LIMITS.maxBodyBytes.max),
  PROMPTQ_VERSION: z.string().default('0.0.0'),
});
export type ApiEnv = z.output<typeof apiEnv>;

/** Environment of the functions that no client calls. */
export const triggerEnv = coreEnv;
export type TriggerEnv = z.output<typeof triggerEnv>;

/** Environment of the worker. Nothing of it reaches an agent but what `agent-environment.ts` allows. */
export const workerEnv = coreEnv.extend({
  PROMPTQ_CONCURRENCY: wholeNumber(1, 1, 64),
  /** The worker's own folder: spools, agents' configuration; private to it. */
  PROMPTQ_WORK_DIR: z.string().startsWith('/').default('/var/lib/promptq'),
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
  OPENAI_API_KEY: z.string().optional(),
  /** claude's account: a key, or else the token of a subscription (`claude setup-token`). */
  ANTHROPIC_API_KEY: z.string().optional(),
  CLAUDE_CODE_OAUTH_TOKEN: z.string().optional(),
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
  HOME: z.string().default('/root'),
  LANG: z.string().default('C.UTF-8'),
});
export type WorkerEnv = z.output<typeof workerEnv>;

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
  const faults = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`the environment of this process is not complete:\n${faults.join('\n')}`);
}
