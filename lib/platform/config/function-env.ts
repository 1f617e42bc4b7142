import * as z from 'zod';
import { apiEnv } from './api-env.ts';
import { coreEnv } from './core-env.ts';
import { mailEnv, messengerApis, onFlag, sandboxList, secondsList, wholeNumber } from './env-fields.ts';
import { warmWorkersText } from './warm-workers.ts';
import { MAX_WORKERS } from './worker-size.ts';

/** Environment of the functions that no client calls. */
export const triggerEnv = coreEnv;
export type TriggerEnv = z.output<typeof triggerEnv>;

/** Environment of the function that applies a deployment's configuration. */
export const applyConfigEnv = coreEnv
  .pick({ REGISTRY_TABLE: true, PROMPTQ_S3_PATH_STYLE: true })
  .extend({ PROMPTQ_SANDBOXES: sandboxList });

/** Environment of the function that creates the origin secret. */
export const originSecretEnv = z.object({ ORIGIN_SECRET_FOLDER: z.string().regex(/^\/.*[^/]$/) });

/** Environment of the function that publishes the console. */
export const publishConsoleEnv = coreEnv.pick({ PROMPTQ_S3_PATH_STYLE: true }).extend({
  CONSOLE_BUCKET: z.string().min(1),
  /** The folder of the built console beside the function's code. */
  CONSOLE_FOLDER: z.string().startsWith('/').default('/var/task/console'),
});

/** Environment of the function that keeps the counts. */
export const countEnv = triggerEnv.extend({
  SCALE_WORKERS_FUNCTION: apiEnv.shape.SCALE_WORKERS_FUNCTION,
  READ_FEED_FUNCTION: apiEnv.shape.READ_FEED_FUNCTION,
});

/** Environment of the function that runs readers of the feed of events. */
export const readFeedEnv = triggerEnv.extend({
  READ_FEED_FUNCTION: apiEnv.shape.READ_FEED_FUNCTION,
  PROMPTQ_WHEREABOUTS_AT: apiEnv.shape.PROMPTQ_WHEREABOUTS_AT,
  ...mailEnv,
  ...messengerApis,
});
export type ReadFeedEnv = z.output<typeof readFeedEnv>;

/** Environment of the function that runs each minute. */
export const reconcileEnv = readFeedEnv.extend({
  /** Its own name, by which it continues. */
  RECONCILE_JOBS_FUNCTION: z.string().optional(),
});

/** Environment of the function that launches workers. */
export const scaleEnv = coreEnv
  .pick({
    JOBS_TABLE: true,
    REGISTRY_TABLE: true,
    PROMPTQ_VENDOR: true,
    PROMPTQ_ACCOUNT_VENDORS: true,
  })
  .extend({
    /** Maximum number of worker tasks. */
    PROMPTQ_MAX_WORKERS: wholeNumber(10, 1, MAX_WORKERS),
    /** Jobs that one worker runs at once. */
    PROMPTQ_CONCURRENCY: wholeNumber(1, 1, 64),
    /** Percent of the workers that are launched on Spot. */
    PROMPTQ_SPOT_WEIGHT: wholeNumber(0, 0, 100),
    /** The cluster and network of workers. */
    WORKER_CLUSTER: z.string().min(1),
    WORKER_SUBNETS: z
      .string()
      .min(1)
      .transform((list) => list.split(',')),
    WORKER_SECURITY_GROUP: z.string().min(1),
    /** Whether workers get public addresses. */
    WORKER_PUBLIC_ADDRESSES: onFlag,
    /** Workers that run without work, as JSON of the setting `warmWorkers`. */
    PROMPTQ_WARM_WORKERS: warmWorkersText,
    /** The SSM parameter with the workers' current task definition. */
    WORKER_BUILD_PARAMETER: z.string().min(1),
  });
export type ScaleEnv = z.output<typeof scaleEnv>;

/** Environment of the function that makes exports. */
export const makeExportsEnv = triggerEnv.extend({ MAKE_EXPORTS_FUNCTION: apiEnv.shape.MAKE_EXPORTS_FUNCTION });
export type MakeExportsEnv = z.output<typeof makeExportsEnv>;

/** Environment of the function that makes signed calls. */
export const deliverEnv = triggerEnv.extend({
  /** Seconds between the attempts of a call, varied by up to a fifth. */
  PROMPTQ_CALL_PAUSES: secondsList,
});
export type DeliverEnv = z.output<typeof deliverEnv>;
