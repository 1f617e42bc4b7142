/** The size of a worker's task: what the stack asks Fargate for, what it is billed by, and how many jobs share it. */
export const WORKER_SIZE = {
  /** Units of CPU, 1,024 to a vCPU. */
  cpu: 1024,
  memoryMiB: 4096,
  /** Jobs at once: each has its task to itself. */
  concurrency: 1,
} as const;
