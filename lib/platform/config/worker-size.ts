import * as z from 'zod';

/** Concurrent jobs of a worker in the cloud: each has its task to itself. */
export const JOBS_PER_WORKER = 1;

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
