import * as z from 'zod';
import { LIMITS } from '../contract/limits.ts';
import { TIMEOUT_UNITS } from './env.ts';

/** The key of the CDK's context under which all settings of a deployment stand. */
export const SETTINGS_KEY = 'promptq';

/** The periods, in days, that CloudWatch Logs can keep a log for. */
export const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

const deploymentSchema = z.strictObject({
  /** The unit of a job's `timeout`. Nobody can guess it, so there is no default. */
  timeoutUnit: z.enum(TIMEOUT_UNITS),
  /** Begins the names of the stacks: an account can hold several deployments. */
  deploymentName: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,30}$/, 'expected lower-case letters, digits and hyphens, a letter first, at most 31')
    .default('promptq'),
  /** Largest body of a request, bytes. */
  maxBodyBytes: z.int().min(1).max(LIMITS.maxBodyBytes.max).default(LIMITS.maxBodyBytes.default),
  /** Whether an API token may do only what its scopes allow. */
  scopeEnforcement: z.boolean().default(false),
  /** Most worker tasks at once. */
  maxWorkers: z.int().min(1).max(1_000).default(10),
  workerArchitecture: z.enum(['arm64', 'x86_64']).default('arm64'),
  /** Days after its end at which a job goes with its output; 0: never. */
  retentionDays: z.int().min(0).max(36_500).default(0),
  logRetentionDays: z.literal(LOG_RETENTION_DAYS).default(30),
  /** Requests a second, on average and at once, beyond which API Gateway answers 429. */
  throttling: z
    .strictObject({ rate: z.number().positive().default(200), burst: z.int().positive().default(400) })
    .prefault({}),
});

/** The settings of one deployment, with their defaults. */
export type Deployment = z.output<typeof deploymentSchema>;

/**
 * Reads the settings from the CDK's context: an object, or its JSON, which is what `cdk -c promptq='{…}'` gives.
 * @throws Error that names every fault at once.
 */
export function readDeployment(context: unknown): Deployment {
  const settings = typeof context === 'string' ? parseJson(context) : (context ?? {});
  const result = deploymentSchema.safeParse(settings, { reportInput: true });
  if (result.success) return result.data;
  throw faults(result.error.issues.map(sentence));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw faults([`${SETTINGS_KEY}: received text that is not JSON; expected a JSON object`]);
  }
}

function sentence(issue: z.core.$ZodIssue): string {
  const place = [SETTINGS_KEY, ...issue.path].join('.');
  if (issue.code === 'unrecognized_keys') {
    return `${place}: unknown ${issue.keys.join(', ')}; known: ${Object.keys(deploymentSchema.shape).join(', ')}`;
  }
  return `${place}: ${issue.input === undefined ? 'is missing' : `received ${JSON.stringify(issue.input)}`}; ${issue.message}`;
}

function faults(sentences: readonly string[]): Error {
  return new Error(`the settings of this deployment (context of cdk.json) are not right:\n  ${sentences.join('\n  ')}`);
}
