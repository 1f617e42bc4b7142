import * as z from 'zod';

/** Most workers of a deployment at once: as many as run its 10,000 jobs if each runs eight. */
export const MAX_WORKERS = 1_250;

/** Most jobs that a worker runs at once: half a vCPU for each on Fargate's largest task. */
export const MAX_JOBS_PER_WORKER = 32;

/** Most slots of all workers of a deployment together. */
export const MAX_DEPLOYMENT_SLOTS = 10_000;

/** Accounts of the worker's image unless a deployment needs more. */
const USUAL_ACCOUNTS = 1_000;
/** How many accounts there are for each slot, so that a worker that starts among many soon finds free ones. */
const FOR_EACH_SLOT = 1.25;

/**
 * How many accounts for slots the worker's image has (decision 0024).
 * @param slots of all workers at once
 */
export function accountsFor(slots: number): number {
  return Math.max(USUAL_ACCOUNTS, Math.ceil(slots * FOR_EACH_SLOT));
}

/** The most accounts of any image: 12,500. */
export const MAX_SLOT_ACCOUNTS: number = accountsFor(MAX_DEPLOYMENT_SLOTS);
/** The accounts of an image that does not say how many it has. */
export const DEFAULT_SLOT_ACCOUNTS: number = accountsFor(0);

const VCPUS = [0.25, 0.5, 1, 2, 4, 8, 16] as const;

/**
 * The gigabytes of memory that Fargate offers with each number of vCPUs.
 * https://docs.aws.amazon.com/AmazonECS/latest/developerguide/fargate-tasks-services.html
 */
const MEMORY_GB: Readonly<Record<(typeof VCPUS)[number], readonly number[]>> = {
  0.25: [0.5, 1, 2],
  0.5: steps(1, 4, 1),
  1: steps(2, 8, 1),
  2: steps(4, 16, 1),
  4: steps(8, 30, 1),
  8: steps(16, 60, 4),
  16: steps(32, 120, 8),
};

/** What Fargate offers beside its default. */
const DISK_GB = { min: 21, max: 200 } as const;

/** The size of a worker's task, for its Fargate definition, its quotas and its cost. */
export const workerSizeSchema = z
  .strictObject({
    vcpus: z.literal(VCPUS).default(1),
    memoryGb: z.number().default(4),
    /** Gigabytes of the task's own disk, which the image is on too; default: Fargate's 20, which cost nothing. */
    diskGb: z.int().min(DISK_GB.min).max(DISK_GB.max).optional(),
  })
  .superRefine(({ vcpus, memoryGb }, context) => {
    const offered = MEMORY_GB[vcpus];
    if (offered.includes(memoryGb)) return;
    context.addIssue({
      code: 'custom',
      path: ['memoryGb'],
      input: memoryGb,
      message: `with ${vcpus} vCPU, Fargate offers ${offered.join(', ')} GB`,
    });
  });

function steps(from: number, to: number, step: number): number[] {
  return Array.from({ length: (to - from) / step + 1 }, (_, at) => from + at * step);
}
