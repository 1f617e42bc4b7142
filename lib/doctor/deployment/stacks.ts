/** The stacks of a deployment, by the suffixes of their names. */
export const STACKS = ['data', 'api', 'worker', 'console'] as const;
