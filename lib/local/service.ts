import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TokenStore } from '../access/tokens/token-store.ts';
import { type ConfigFile, findConfigFile } from '../catalog/find-config-file.ts';
import { ProfileStore } from '../catalog/profiles.ts';
import { BASE_PATH } from '../contract/route.ts';
import { doors } from '../contract/routes/routes.ts';
import { SCOPES } from '../contract/scopes.ts';
import { JobCounts } from '../counters/counts.ts';
import { announceChange } from '../jobs/views/wait-for-change.ts';
import { tableClient } from '../platform/aws/clients.ts';
import { sandboxList } from '../platform/config/env-fields.ts';
import { startEmulators } from './emulators/emulators.ts';
import { mostConnections, openFilesLimit, tooFewFiles } from './emulators/open-files.ts';
import { hostUnder } from './gateway/browser-name.ts';
import { consoleSite } from './gateway/console-files.ts';
import { divertOutput } from './gateway/function-log.ts';
import { startGateway } from './gateway/gateway.ts';
import { functionLoader } from './gateway/gateway-invocation.ts';
import { CATCH_ALL } from './gateway/gateway-resources.ts';
import { startCallsAndSweeps, startExports, startReaders, startReconciling } from './local-triggers.ts';
import { jobSurroundings } from './program/job-surroundings.ts';
import { programFile } from './program/program-files.ts';
import { applyLocalConfig } from './run/apply-config.ts';
import { foundAbove, linkHome } from './run/default-home.ts';
import { Home } from './run/home.ts';
import { lockHome } from './run/home-lock.ts';
import { killOrphans } from './run/leftovers.ts';
import { applyEnv, declaredHosts, localEnv, workerProcessEnv } from './run/local-env.ts';
import { startSignIn } from './run/local-sign-in.ts';
import { createResources } from './run/resources.ts';
import { Shutdown } from './run/shutdown.ts';
import { superviseWorker } from './run/worker-process.ts';
import { type RunSettings, readRunSettings, throttlingOf } from './settings/run-settings.ts';
import { type MessengerStandIns, startStandIns } from './stand-ins/stand-ins.ts';
import { startTelegramPolling } from './triggers/poll-telegram.ts';

interface LocalServiceOptions {
  /** The operator's path; undefined: the default of the current folder. */
  readonly home: string | undefined;
  /** 0: any free one. */
  readonly port: number;
  /** Path of a configuration file; undefined: `promptq.config.yaml` in the current folder, if there is one. */
  readonly config?: string | undefined;
  /** Receives messages for the operator: restarts, failures. */
  readonly log: (line: string) => void;
}

export interface LocalService {
  /** Without `/api/v1`. */
  readonly baseUrl: string;
  /** The service's URL for browsers; keep it private. */
  readonly consoleUrl: string;
  /** Has every scope. */
  readonly token: string;
  /** The real path of the home. */
  readonly home: string;
  readonly messengers: MessengerStandIns;
  /** Ends everything within 10 s, the worker first. */
  stop(): Promise<void>;
}

/** Milliseconds that a worker has after SIGTERM, of which running attempts get five seconds. */
const WORKER_GRACE_MS = 7_000;

/**
 * Starts the whole service on this machine. Sets this process's environment and redirects its output to a file, because
 * the functions run in it.
 * @throws SettingError; ConfigFileError; HomeInUseError; Error with the code EADDRINUSE; any error of a part, after
 *   ending the others
 */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const { log } = options;
  const settings = readRunSettings(process.env);
  const config = await findConfigFile(options.config, { folder: process.cwd(), setting: 'PROMPTQ_CONFIG' });
  const home = await Home.open(options.home);
  const lock = await lockHome(home);
  const shutdown = new Shutdown(
    [
      ['worker', WORKER_GRACE_MS + 500],
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
    await home.close({ passable: process.env.PROMPTQ_SLOT_UID !== undefined });
    const restoreOutput = divertOutput(join(home.folder('logs'), 'api.log'), log);
    shutdown.add('home', async () => restoreOutput());
    await home.removeInfo();
    await killOrphans(home.path);
    // `promptq dev`, which has a channel to this process, leaves nothing in the folder of its user.
    const unlinked = options.home || process.send ? undefined : await linkHome(home.path, process.cwd());
    if (unlinked !== undefined) log(unlinked);
    for (const missing of (await jobSurroundings()).missing) log(`a program is missing: ${missing}`);
    const above = await foundAbove(home.path);
    if (above.length > 0) log(`jobs may take for their own what lies above their folders: ${above.join(', ')}`);
    return {
      ...(await startParts(home, { ...options, settings, file: config }, shutdown)),
      home: home.path,
      stop: async () => await shutdown.run(),
    };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

interface PartsOptions {
  readonly settings: RunSettings;
  readonly file: ConfigFile | undefined;
}

async function startParts(
  home: Home,
  { port, log, settings, file }: LocalServiceOptions & PartsOptions,
  shutdown: Shutdown,
) {
  const source = { ...process.env };
  const { endpoints, vendor, tables, endLeftovers } = await startEmulators({ home, source, log, shutdown });
  const resources = await createResources(endpoints);
  const { messengers, env: standIns } = await startStandIns({ home, source, shutdown });
  const env = { ...localEnv(home.path, resources, endpoints, source), ...standIns };
  applyEnv(env, process.env);

  const registry = { ...tableClient(), registryTable: resources.registryTable };
  await seedProfiles(new ProfileStore(registry));
  const applied = file && (await applyLocalConfig(registry, file, sandboxList.parse(source.PROMPTQ_SANDBOXES)));
  if (applied !== undefined) log(applied);
  const token = await localToken(home, new TokenStore(registry));

  const filesLimit = await openFilesLimit('self');
  const tooFew = tooFewFiles(filesLimit);
  if (tooFew !== undefined) log(`${tooFew.message}. ${tooFew.advice}`);
  const load = functionLoader(loadFunction);
  const counts = new JobCounts(registry);
  const triggers = { load, counts, endpoints, resources, registry, settings, tables, shutdown, log };
  // An operator who sets the public origin has also chosen the host name.
  const declared = source.PROMPTQ_PUBLIC_ORIGIN || undefined;
  const name = declared === undefined ? await browserName(home) : undefined;
  const signInEnv = await startSignIn({ home, source, settings, token, hostname: name ?? '127.0.0.1', log, shutdown });
  // Functions start only once the service's address is known.
  const { promise: placed, resolve: isPlaced } = Promise.withResolvers<void>();
  const gateway = await startGateway({
    port,
    routes: doors,
    load: async (functionId) => await placed.then(() => loadFunction(functionId)),
    site: consoleSite(log),
    hosts: declaredHosts(source),
    ...(name !== undefined && { browserName: name }),
    throttling: throttlingOf(settings),
    concurrency: settings.lambdaConcurrency,
    maxConnections: mostConnections(filesLimit),
    log,
  });
  shutdown.add('service', gateway.close);
  // Links in outgoing messages lead to this origin.
  const consoleUrl = declared ?? `http://${hostUnder(name ?? '127.0.0.1', Number(new URL(gateway.url).port || 80))}`;
  const link = { PROMPTQ_LINK_ORIGIN: declared ?? gateway.url };
  Object.assign(process.env, signInEnv(consoleUrl), link);
  isPlaced();
  startReconciling(triggers);
  await loadFunctions();
  startCallsAndSweeps(triggers);
  startExports(triggers);
  startReaders(triggers);
  if (env.PROMPTQ_TELEGRAM_UPDATES === 'polling')
    startTelegramPolling({ everyMs: (settings.watchSeconds ?? 60) * 1000, shutdown, log });
  const worker = await superviseWorker({
    program: programFile('worker-container/main'),
    env: { ...env, ...link, ...workerProcessEnv(home.path, vendor, source) },
    logFile: join(home.folder('logs'), 'worker.log'),
    log,
    endAgents: endLeftovers,
    onChange: announceChange,
  });
  shutdown.add('worker', async () => await worker.stop(WORKER_GRACE_MS));
  await answersHealth(gateway.url, token);
  await home.writeOperatorInfo({
    environment: { ...env, ...link },
    dynamodb: endpoints.dynamodb,
    registry_table: resources.registryTable,
    practice_url: vendor.baseUrl,
    practice_key: vendor.apiKey,
    messengers,
  });
  await home.writeInfo({ base_url: gateway.url, console_url: consoleUrl, token, pid: process.pid });
  return { baseUrl: gateway.url, consoleUrl, token, messengers };
}

/** @throws Error with what the service answered instead */
async function answersHealth(baseUrl: string, token: string): Promise<void> {
  const response = await fetch(`${baseUrl}${BASE_PATH}/health`, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`the service does not answer: ${response.status} ${await response.text()}`);
}

/**
 * The host name of a home's run in browsers: random, because a server on another port that knew it could have the
 * browser send it the cookies. Browsers resolve names under `.localhost` to this machine without DNS.
 */
async function browserName(home: Home): Promise<string> {
  const label = await home.keep('browser-name', () => `promptq-${randomBytes(16).toString('hex')}`);
  return `${label}.localhost`;
}

/** Loads every function, one after the other: later the process may run out of file descriptors. */
async function loadFunctions(): Promise<void> {
  for (const { id } of [...doors, { id: CATCH_ALL }]) await loadFunction(id);
}

/** @param functionId such as `jobs.create` */
async function loadFunction(functionId: string): Promise<unknown> {
  return await import(pathToFileURL(programFile(`functions/${functionId.replace('.', '/')}`)).href);
}

/** The token that the local run shows: the earlier one while it is valid for every scope, otherwise a new one. */
async function localToken(home: Home, tokens: TokenStore): Promise<string> {
  const kept = await home.readToken();
  const known = kept === undefined ? undefined : await tokens.verify(kept);
  if (kept !== undefined && SCOPES.every((scope) => known?.scopes.includes(scope))) return kept;
  const { token } = await tokens.create({ name: 'local run', scopes: SCOPES });
  await home.writeToken(token);
  return token;
}

/** Stores the local run's profiles; changed ones stay as they are. */
async function seedProfiles(profiles: ProfileStore): Promise<void> {
  const wanted = [
    { name: 'practice', agent: 'codex', vendor: 'practice' },
    { name: 'shell', agent: 'shell' },
    // On a laptop there is no container around the agent.
    { name: 'codex', agent: 'codex', sandbox: 'workspace-write' },
  ] as const;
  for (const profile of wanted) await profiles.seed(profile);
}
