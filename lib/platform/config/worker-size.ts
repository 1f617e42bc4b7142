/** The size of a worker's task, for its Fargate definition, its cost, and the number of jobs that share it. */
export const WORKER_SIZE = {
  /** Units of CPU, 1,024 to a vCPU. */
  cpu: 1024,
  memoryMiB: 4096,
  /** Concurrent jobs: each has its task to itself. */
  concurrency: 1,
} as const;
