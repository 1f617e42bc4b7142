/** The settings that a worker does not start without. Nothing listens at the queues' address. */
export const REQUIRED_SETTINGS = {
  JOBS_TABLE: 'jobs',
  REGISTRY_TABLE: 'registry',
  OUTPUT_BUCKET: 'output',
  QUEUE_URL_HIGH: 'http://127.0.0.1:9/high',
  QUEUE_URL_NORMAL: 'http://127.0.0.1:9/normal',
  QUEUE_URL_LOW: 'http://127.0.0.1:9/low',
  QUEUE_URL_DELIVERIES: 'http://127.0.0.1:9/deliveries',
  PROMPTQ_TIMEOUT_UNIT: 'seconds',
};
