import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TokenStore } from '../access/token-store.ts';
import { tableClient } from '../aws/clients.ts';
import { ProfileStore } from '../catalog/profiles.ts';
import { BASE_PATH } from '../contract/route.ts';
import { routes } from '../contract/routes.ts';
import { JobCounts } from '../jobs/counts.ts';
import { LEASE } from '../jobs/lease.ts';
import { startEmulators } from './emulators.ts';
import { divertOutput } from './function-log.ts';
import { startGateway } from './gateway.ts';
import { functionLoader, lambdaContext } from './gateway-invocation.ts';
import { Home } from './home.ts';
import { lockHome } from './home-lock.ts';
import { endLeftovers } from './leftovers.ts';
import { applyEnv, localEnv, watchSeconds, workerProcessEnv } from './local-env.ts';
import { localToken } from './local-token.ts';
import { createResources } from './resources.ts';
import { startSchedule } from './schedules.ts';
import { Shutdown } from './shutdown.ts';
import { followTableStream } from './table-stream.ts';
import { superviseWorker } from './worker-process.ts';

export interface LocalServiceOptions {
  /** As the operator gave it; undefined: `.promptq` in the current folder. */
  readonly home: string | undefined;
  /** 0: any free one. */
  readonly port: number;
  /** Takes what an operator should know: restarts, failures. */
  readonly log: (line: string) => void;
}

export interface LocalService {
  /** Without `/api/v1`. */
  readonly baseUrl: string;
  /** Has every scope. */
  readonly token: string;
  /** The real path of the home. */
  readonly home: string;
  /** Ends everything within 10 s, the worker first. */
  stop(): Promise<void>;
}

/** Milliseconds that watch-jobs may take. */
const WATCH_LIMIT = 60_000;
/** Milliseconds that a worker has after SIGTERM; it gives running attempts five seconds of it. */
const WORKER_GRACE = 7_000;

/**
 * Starts the whole service on this machine. Sets this process's environment and diverts what it prints to a file, for the
 * functions run in it.
 * @throws HomeInUseError; Error with the code EADDRINUSE; whatever keeps a part from starting, the others ended again
 */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const { log } = options;
  const home = await Home.open(options.home);
  const lock = await lockHome(home);
  const shutdown = new Shutdown(
    [
      ['worker', WORKER_GRACE + 500],
      ['leftovers', 500],
      ['service', 800],
      ['emulators', 800],
      ['home', 200],
    ],
    log,
  );
  shutdown.add('home', async () => {
    await home.removeInfo().catch((error: unknown) => log(String(error)));
    await lock.release();
  });
  try {
    const restoreOutput = divertOutput(join(home.folder('logs'), 'api.log'), log);
    shutdown.add('home', async () => restoreOutput());
    await home.removeInfo();
    await endLeftovers(home.path);
    return { ...(await startParts(home, options, shutdown)), home: home.path, stop: async () => await shutdown.run() };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function startParts(home: Home, { port, log }: LocalServiceOptions, shutdown: Shutdown) {
  const source = { ...process.env };
  const { endpoints, vendor } = await startEmulators({ home, source, log, shutdown });
  const resources = await createResources(endpoints);
  const env = localEnv(home.path, resources, endpoints, source);
  applyEnv(env, process.env);

  const registry = { ...tableClient(), registryTable: resources.registryTable };
  await seedProfiles(new ProfileStore(registry));
  const token = await localToken(home, new TokenStore(registry));

  const load = functionLoader(loadFunction);
  const counts = new JobCounts(registry.table, resources.registryTable);
  const stream = followTableStream({
    endpoint: endpoints.dynamodb,
    table: resources.jobsTable,
    handler: async (event, context) => await (await load('triggers.count-jobs'))(event, context),
    position: async (shard) => await counts.checkpoint(shard),
    log,
  });
  shutdown.add('service', stream.stop);
  const watchEvery = watchSeconds(source) * 1000;
  const watch = startSchedule({
    name: 'watch-jobs',
    everyMs: watchEvery,
    // What ran when an earlier run was killed is free once its leases are over.
    secondAfterMs: Math.min(watchEvery, LEASE.duration + 2_000),
    run: async (isFirst) => {
      const handler = await load('triggers.watch-jobs');
      // Queues start empty: at first every waiting job needs a new permit.
      await handler({ redrive: isFirst }, lambdaContext('triggers.watch-jobs', WATCH_LIMIT));
    },
    log,
  });
  shutdown.add('service', watch.stop);
  const worker = await superviseWorker({
    program: fileURLToPath(new URL('../../worker-container/main.ts', import.meta.url)),
    env: { ...env, ...workerProcessEnv(home.path, vendor, source) },
    logFile: join(home.folder('logs'), 'worker.log'),
    log,
  });
  shutdown.add('worker', async () => await worker.stop(WORKER_GRACE));
  const gateway = await startGateway({ port, routes, load: loadFunction, log });
  shutdown.add('service', gateway.close);

  await answersHealth(gateway.url, token);
  await home.writeOperatorInfo({
    environment: env,
    dynamodb: endpoints.dynamodb,
    registry_table: resources.registryTable,
    practice_url: vendor.baseUrl,
    practice_key: vendor.apiKey,
  });
  await home.writeInfo({ base_url: gateway.url, console_url: gateway.url, token, pid: process.pid });
  return { baseUrl: gateway.url, token };
}

/** Profiles of the local run; those that somebody has changed stay as they are. */
async function seedProfiles(profiles: ProfileStore): Promise<void> {
  const wanted = [
    { name: 'practice', agent: 'codex', vendor: 'practice' },
    { name: 'shell', agent: 'shell' },
    // On a laptop there is no container around the agent.
    { name: 'codex', agent: 'codex', sandbox: 'workspace-write' },
  ] as const;
  for (const profile of wanted) if (!(await profiles.isSet(profile.name))) await profiles.put(profile);
}

async function loadFunction(functionId: string): Promise<unknown> {
  return await import(new URL(`../../functions/${functionId.replace('.', '/')}.ts`, import.meta.url).href);
}

/** @throws Error with what the service answered instead */
async function answersHealth(baseUrl: string, token: string): Promise<void> {
  const response = await fetch(`${baseUrl}${BASE_PATH}/health`, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`the service does not answer: ${response.status} ${await response.text()}`);
}
