import * as z from 'zod';
import { agentList, flag, folderList, onFlag, publicOrigin, vendorList, wholeNumber } from './env-fields.ts';

/** The units that a deployment can choose for `timeout`; there is no default. */
export const TIMEOUT_UNITS = ['milliseconds', 'seconds', 'minutes'] as const;
export type TimeoutUnit = (typeof TIMEOUT_UNITS)[number];

/** Environment of every process that handles jobs. */
export const coreEnv = z.object({
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
  /** The file with further roots, which the user of a local run has granted; only there. */
  PROMPTQ_GRANTED_FOLDERS: z.string().startsWith('/').optional(),
  PROMPTQ_TEMP: z.string().startsWith('/').default('/tmp'),
  /** Days after which a private folder that no job uses is deleted; 0: never. */
  PROMPTQ_WORKSPACE_DAYS: z.coerce.number().min(0).max(36_500).default(7),
  /** Days after its end at which a job and all its data are deleted; 0: never. */
  PROMPTQ_RETENTION_DAYS: z.coerce.number().min(0).max(36_500).default(0),
  /** Seconds between probes of one job that waits for the vendor account. */
  PROMPTQ_ACCOUNT_PROBE_SECONDS: wholeNumber(60, 1, 3600),
  /** The same for the vendor's usage limit, if the vendor doesn't report its end. */
  PROMPTQ_USAGE_PROBE_SECONDS: wholeNumber(300, 1, 86_400),
  /** The same for an overloaded vendor. */
  PROMPTQ_OVERLOAD_PROBE_SECONDS: wholeNumber(60, 1, 3600),
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
