import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { OPTIONAL_AGENTS } from '../../contract/agents.ts';
import { LIMITS } from '../../contract/limits.ts';
import { ROLES } from '../../contract/roles.ts';
import { TIMEOUT_UNITS } from './core-env.ts';
import { publicOrigin } from './env-fields.ts';
import { warmWorkersSchema } from './warm-workers.ts';
import { workerNetworkSchema } from './worker-network.ts';
import { MAX_DEPLOYMENT_SLOTS, MAX_JOBS_PER_WORKER, MAX_WORKERS, workerSizeSchema } from './worker-size.ts';

/** The key of a deployment's settings in the CDK's context. */
export const SETTINGS_KEY = 'promptq';

/** The retention periods, in days, that CloudWatch Logs supports. */
const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/** Groups of the identity provider, by role. */
export const DEFAULT_GROUPS = { viewer: 'promptq-viewers', operator: 'promptq-operators', admin: 'promptq-admins' };

/** Lambda's environment is limited to 4,096 bytes of names and values; these two settings are lists in it. */
const MAX_TELEGRAM_USERS = 40;
const MAX_PERIMETER_SOURCES = 16;

/** A DNS name, in lower case. */
const domainName = z
  .string()
  .max(253)
  .regex(
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/,
    'expected a name such as promptq.example.com',
  );

const settingsSchema = z.strictObject({
  /** The unit of a job's `timeout`. It can't be inferred, so there is no default. */
  timeoutUnit: z.enum(TIMEOUT_UNITS),
  /** Prefix of the stack names: an account can hold several deployments. */
  deploymentName: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,30}$/, 'expected lower-case letters, digits and hyphens, a letter first, at most 31')
    .refine(
      (name) => !/^(aws|ssm)/.test(name),
      "must not begin with aws or ssm, which Parameter Store keeps for AWS's own",
    )
    .default('promptq'),
  /** Maximum size of a request's body in bytes. */
  maxBodyBytes: z.int().min(1).max(LIMITS.maxBodyBytes.max).default(LIMITS.maxBodyBytes.default),
  /** Whether an API token is limited to its scopes. */
  scopeEnforcement: z.boolean().default(false),
  /** Most worker tasks at once. */
  maxWorkers: z.int().min(1).max(MAX_WORKERS).default(10),
  /** Jobs that a worker runs at once; by default each job has its task to itself. */
  jobsPerWorker: z.int().min(1).max(MAX_JOBS_PER_WORKER).default(1),
  /** Workers that wait for jobs, and when. */
  warmWorkers: warmWorkersSchema.prefault({}),
  /** Whether the functions of `WARM_FUNCTIONS` are kept running. */
  warmFunctions: z.boolean().default(true),
  workerArchitecture: z.enum(['arm64', 'x86_64']).default('arm64'),
  /** Agents whose CLIs the workers' image has; the shell is always there. */
  agents: z
    .array(z.enum(OPTIONAL_AGENTS))
    .refine((agents) => new Set(agents).size === agents.length, 'expected each agent once')
    .default([...OPTIONAL_AGENTS]),
  /** vCPUs and gigabytes of memory of a worker's task. */
  workerSize: workerSizeSchema.prefault({}),
  network: workerNetworkSchema.prefault({}),
  /**
   * The document of rules and profiles that each deployment applies, a path from the folder of cdk.json; default:
   * `promptq.config.yaml`, if there is one.
   */
  configFile: z.string().min(1).optional(),
  /** Percent of the worker tasks that run on Spot: cheaper, but interrupted at times with two minutes' notice. */
  spotWeight: z.int().min(0).max(100).default(0),
  /** Minutes without work after which a worker exits. */
  idleMinutes: z.int().min(1).max(1_440).default(2),
  /** Days after its end at which a job and its output are deleted; 0: never. */
  retentionDays: z.int().min(0).max(36_500).default(0),
  /** Whether deploy bindings may run commands. */
  deployCommands: z.boolean().default(true),
  /** The public origin if it is neither `domain` nor CloudFront's own name: a proxy of the team, for example. */
  publicOrigin: publicOrigin.optional(),
  /** The deployment's custom domain name. */
  domain: z
    .strictObject({
      name: domainName,
      /** CloudFront accepts certificates of one region only. */
      certificateArn: z
        .string()
        .regex(
          /^arn:aws[a-z-]*:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
          'expected a certificate of ACM in us-east-1',
        ),
      /** The zone that gets the DNS record; without it the record is created by hand. */
      hostedZone: z.strictObject({ id: z.string().regex(/^Z[A-Z0-9]+$/), name: domainName }).optional(),
    })
    .refine(({ name, hostedZone }) => hostedZone === undefined || `.${name}`.endsWith(`.${hostedZone.name}`), {
      path: ['hostedZone', 'name'],
      message: 'expected the zone that the name lies in',
    })
    .optional(),
  /** The access list of a web application firewall, for CloudFront. */
  webAclArn: z
    .string()
    .regex(/^arn:aws[a-z-]*:wafv2:us-east-1:\d{12}:global\/webacl\/.+$/, 'expected a web ACL of scope CLOUDFRONT')
    .optional(),
  /** Increment it to rotate the secret by which CloudFront proves itself. */
  originSecretVersion: z.int().min(1).max(100).default(1),
  /** The first user, in the admins' group; unless people sign in elsewhere (`signIn`). */
  adminEmail: z.email().optional(),
  /** The recipient of alarms. */
  alarmEmail: z.email().optional(),
  /** The address that messages of subscriptions come from; SES must have verified it, or its domain. Absent: no mails. */
  mailFrom: z.email().optional(),
  /** Whether to create a CloudWatch dashboard, which is billed by the month. */
  dashboard: z.boolean().default(false),
  /**
   * An OpenID Connect identity provider, instead of the deployment's own user pool. The client's secret, if it has one,
   * is an SSM parameter, not a setting.
   */
  signIn: z
    .strictObject({
      issuer: z.url({ protocol: /^https$/ }),
      clientId: z.string().min(1),
      /** The claim of the ID token with a person's groups. */
      roleClaim: z.string().min(1).default('cognito:groups'),
      /** The group of each role. */
      groups: z.partialRecord(z.enum(ROLES), z.string().regex(/^[^,=]+$/)).default(DEFAULT_GROUPS),
    })
    .optional(),
  /** Seconds that a browser session lasts without use, and in total. */
  session: z
    .strictObject({
      idleSeconds: z
        .int()
        .min(60)
        .max(30 * 86_400)
        .default(8 * 3_600),
      maxSeconds: z
        .int()
        .min(60)
        .max(30 * 86_400)
        .default(24 * 3_600),
    })
    .prefault({}),
  /** Days after a job's end at which its private folder is deleted; 0: never. */
  workspaceDays: z.int().min(0).max(36_500).default(7),
  logRetentionDays: z.literal(LOG_RETENTION_DAYS).default(30),
  /** Requests a second, average and burst, beyond which API Gateway answers 429. */
  throttling: z
    .strictObject({ rate: z.number().positive().default(200), burst: z.int().positive().default(400) })
    .prefault({}),
  /** Maximum number of functions that stream a followed log; further followers poll. */
  followStreams: z
    .int()
    .min(LIMITS.follow.streams.min)
    .max(LIMITS.follow.streams.max)
    .default(LIMITS.follow.streams.default),
  /** Requests a second that one API token may make of one process of one function; 0: unlimited. */
  tokenRate: z.int().min(0).max(10_000).default(0),
  /** Address ranges from which the perimeter token is accepted; empty: any address. */
  perimeterSources: z
    .array(z.string().refine((range) => ipaddr.isValidCIDR(range), 'expected a range such as 203.0.113.0/24'))
    .max(MAX_PERIMETER_SOURCES)
    .default([]),
  /** Allowed users of the Telegram Mini App, by Telegram's user id. */
  telegramUsers: z
    .record(z.string().regex(/^[1-9]\d{0,15}$/, 'expected a user id'), z.enum(ROLES))
    .refine((users) => Object.keys(users).length <= MAX_TELEGRAM_USERS, `expected at most ${MAX_TELEGRAM_USERS} users`)
    .default({}),
});

const deploymentSchema = settingsSchema.superRefine(({ warmWorkers, maxWorkers, jobsPerWorker }, context) => {
  const refuse = (path: string[], input: number, message: string) =>
    context.addIssue({ code: 'custom', path, input, message });
  if (warmWorkers.count > maxWorkers)
    refuse(['warmWorkers', 'count'], warmWorkers.count, 'expected at most maxWorkers');
  const most = Math.floor(MAX_DEPLOYMENT_SLOTS / maxWorkers);
  if (jobsPerWorker > most)
    refuse(
      ['jobsPerWorker'],
      jobsPerWorker,
      `expected at most ${most} with ${maxWorkers} workers: together they run at most ${MAX_DEPLOYMENT_SLOTS} jobs`,
    );
});
/** The settings of one deployment, with their defaults. */
export type Deployment = z.output<typeof deploymentSchema>;

/** The public origin, if the settings define it; undefined: CloudFront's own name. */
export function knownOrigin({ publicOrigin: given, domain }: Deployment): string | undefined {
  return given ?? (domain && `https://${domain.name}`);
}

/**
 * Reads the settings from the CDK's context: an object, or its JSON, as in `cdk -c promptq='{…}'`.
 * @param file the settings of cdk.json, of which the JSON replaces some. `null` there is the setting's default.
 * @throws Error that lists every fault at once
 */
export function readDeployment(context: unknown, file: object = {}): Deployment {
  const settings = typeof context === 'string' ? replaced(file, parseJson(context)) : (context ?? {});
  const result = deploymentSchema.safeParse(settings, { reportInput: true });
  if (result.success) return result.data;
  throw validationError(result.error.issues.map(sentence));
}

function parseJson(text: string): object {
  const settings = z.record(z.string(), z.unknown()).safeParse(jsonOf(text));
  if (settings.success) return settings.data;
  throw validationError([`${SETTINGS_KEY}: received text that is not JSON of an object; expected a JSON object`]);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function replaced(file: object, given: object): object {
  return Object.fromEntries(Object.entries({ ...file, ...given }).filter(([, value]) => value !== null));
}

function sentence(issue: z.core.$ZodIssue): string {
  const place = [SETTINGS_KEY, ...issue.path].join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length > 0 ? '' : `; known: ${Object.keys(settingsSchema.shape).join(', ')}`;
    return `${place}: unknown ${issue.keys.join(', ')}${known}`;
  }
  return `${place}: ${issue.input === undefined ? 'is missing' : `received ${JSON.stringify(issue.input)}`}; ${issue.message}`;
}

function validationError(sentences: readonly string[]): Error {
  return new Error(`the settings of this deployment (context of cdk.json) are not right:\n  ${sentences.join('\n  ')}`);
}
