import type * as z from 'zod';

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
  // Compiling a schema pays only for many values.
  const result = schema.safeParse(source, { jitless: true });
  if (result.success) return result.data;
  const validationErrors = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`the environment of this process is not complete:\n${validationErrors.join('\n')}`);
}
