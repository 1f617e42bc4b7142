/* Runs and cancels jobs through the client that @hey-api/openapi-ts generates into ./promptq (docs/api/clients.md). */
import { client } from './promptq/client.gen.js';
import { cancelJobs, createJobs, listJobs, readJobs, resultJobs, statusJobs } from './promptq/index.js';

client.setConfig({
  baseUrl: process.env.PROMPTQ_URL ?? 'http://127.0.0.1:8787',
  // The document lists every kind of credential; an API token belongs to the bearer scheme.
  auth: ({ scheme }) => (scheme === 'bearer' ? process.env.PROMPTQ_TOKEN : undefined),
});

/** Waits until the job ends. Each request is held for up to 25 seconds. */
async function waitForEnd(id: string): Promise<string> {
  for (;;) {
    const { data } = await statusJobs({ path: { id }, query: { wait: 25 }, throwOnError: true });
    if (data.terminal) return data.status;
  }
}

const { data: created } = await createJobs({ body: { prompt: 'echo hello', profile: 'shell' }, throwOnError: true });
const status = await waitForEnd(created.id);
const { data: job } = await readJobs({ path: { id: created.id }, throwOnError: true });
const { data: result } = await resultJobs({ path: { id: created.id }, throwOnError: true });
const { data: jobs } = await listJobs({ query: { limit: 10 }, throwOnError: true });

const { data: long } = await createJobs({ body: { prompt: 'sleep 600', profile: 'shell' }, throwOnError: true });
await cancelJobs({ path: { id: long.id }, throwOnError: true });
const cancelled = await waitForEnd(long.id);

const unknown = await readJobs({ path: { id: 'unknown' } });

console.log(
  JSON.stringify({
    status,
    prompt: job.prompt,
    stdout: result.stdout,
    listed: jobs.items.some(({ id }) => id === created.id),
    cancelled,
    error: unknown.error?.error,
  }),
);
