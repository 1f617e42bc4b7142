import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { needsWorker } from '../lib/accounts/account.ts';
import { AccountStore } from '../lib/accounts/account-store.ts';
import { createReconciler } from '../lib/composition/services.ts';
import { unparkAll } from '../lib/jobs/admission/vendor-gate.ts';
import { WorkerSignals } from '../lib/live/worker-signals.ts';
import { objectClient, queueClient, tableClient } from '../lib/platform/aws/clients.ts';
import { timestamp } from '../lib/platform/aws/table-clock.ts';
import { readEnv, secretVariables } from '../lib/platform/config/read-env.ts';
import { workerEnv } from '../lib/platform/config/worker-env.ts';
import { emitMetrics } from '../lib/platform/operations/emit-metrics.ts';
import { probeDisk } from '../lib/platform/operations/probe-disk.ts';
import { registryOf } from '../lib/platform/registry.ts';
import { starvingBands } from '../lib/reconciler/starving-bands.ts';
import { LiveWorkers } from '../lib/workers/live-workers.ts';
import { ScalingStore } from '../lib/workers/scaling/scaling-store.ts';
import { LoginRunner } from './account/account-login.ts';
import { CredentialFiles } from './account/credential-files.ts';
import { waitsForLogin } from './agents/agent-environment.ts';
import { cliVersions } from './agents/cli-versions.ts';
import { endAccount, endMarkedLike } from './commands/process-tree.ts';
import { SignalWatch } from './heartbeat/signal-watch.ts';
import { BuildCheck, IdleShutdown, keptWarm } from './pool/idle-shutdown.ts';
import { MessagePoller } from './pool/message-poller.ts';
import { describeMachine, Registration } from './pool/registration.ts';

import { Worker } from './pool/worker.ts';
import { secretSource } from './secrets/secrets.ts';
import { fetcherOf, leaseAccounts, serviceAccounts } from './service-accounts/service-account.ts';

import { clearWorkFolder } from './workspace/clear-work-folder.ts';
import { WorkspaceSweeper } from './workspace/sweep-workspaces.ts';

/** How long (ms) an abandoned worker tries to shut down cleanly. */
const ABANDON_TIMEOUT_MS = 15_000;
/** How long (ms) it then waits for the processes that it left running to end. */
const ORPHANS_TIMEOUT_MS = 5_000;
let exitCode = 0;

/** The worker: one long-running process, in a Fargate task or a child of the local run. SIGTERM ends it gracefully. */
const workerId = `${hostname()}-${randomBytes(4).toString('hex')}`.slice(-63);
const log = new Logger({ serviceName: 'promptq-worker', persistentKeys: { worker_id: workerId } });
// Its log may be on a full disk. A lost line must not end the worker and its jobs.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
process.once('uncaughtException', (error) => {
  log.critical('the worker crashed', error);
  process.exit(1);
});
const env = readEnv(workerEnv);
const markPrefix = `${createHash('sha256').update(env.PROMPTQ_WORK_DIR).digest('hex').slice(0, 16)}/`;

const { table, clock } = tableClient();
const objects = objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE });
const services = createReconciler({ env, table, clock, objects, queues: queueClient() });
const registry = registryOf({ table, clock, env });
const workers = new LiveWorkers(registry);

const leases =
  env.PROMPTQ_SLOT_UID === undefined
    ? undefined
    : await leaseAccounts({
        locks: services.locks,
        holder: `${hostname()}/${markPrefix}`,
        slots: env.PROMPTQ_CONCURRENCY,
        accounts: env.PROMPTQ_SLOT_ACCOUNTS,
        onLost: () => {
          exitCode = 1;
          abandon('another worker has the accounts of this one');
        },
      });
const accounts = serviceAccounts(env.PROMPTQ_SLOT_UID, leases?.numbers ?? []);

const vendorAccounts = new AccountStore({ ...registry, world: env.PROMPTQ_VENDOR });
const credentials = new CredentialFiles(
  join(env.PROMPTQ_ACCOUNT_DIR, env.PROMPTQ_VENDOR, 'codex'),
  vendorAccounts,
  'codex',
);

const build = new BuildCheck({
  metadataUri: env.ECS_CONTAINER_METADATA_URI_V4,
  scaling: new ScalingStore(registry),
  log,
});
await build.readTask();

const source = new MessagePoller({
  dispatchQueues: services.dispatchQueues,
  starvingBands: () => starvingBands({ byStatus: services.byStatus, clock }),
  onFailure: (error) => log.warn('polling for dispatch messages failed', error as Error),
});
const signals = new SignalWatch({
  signals: new WorkerSignals(registry),
  workerId,
  onFailure: (error) => log.warn('the signals of this worker were not read', error as Error),
});
const draining = new AbortController();
const stopping = new AbortController();
const worker = new Worker(
  {
    ...services,
    env,
    workerId,
    markPrefix,
    signals,
    objects,
    secrets: secretSource(env, secretVariables()),
    log,
    emitMetrics,
    credentials,
    accounts,
    source,
    onChange: announceChange,
    onSurvivors: () => retire('processes of a job survive SIGKILL'),
    onUnfit: retire,
    probeDisk: () => probeDisk(env.PROMPTQ_WORK_DIR, "the worker's files"),
  },
  { draining: draining.signal, stopping: stopping.signal },
);

const loginRunner = new LoginRunner(
  {
    env,
    vendor: 'codex',
    accounts: vendorAccounts,
    account: accounts?.login,
    credentials,
    workerId,
    markPrefix,
    log,
    onLinked: () => unparkAll(services, 'account_required', (job) => waitsForLogin(env, services.profiles, job)),
  },
  { draining: draining.signal, stopping: stopping.signal },
);

await mkdir(env.PROMPTQ_WORK_DIR, { recursive: true, mode: 0o700 });
// The slots' accounts traverse this folder to reach their own.
if (accounts !== undefined) await chmod(env.PROMPTQ_WORK_DIR, 0o711);
const orphans = await killOrphans();
if (orphans > 0) log.warn('ended processes of an earlier worker', { processes: orphans });
await clearWorkFolder(env.PROMPTQ_WORK_DIR, credentials, accounts).catch((error: Error) =>
  log.warn('files of an earlier worker were not removed', error),
);

process.on('SIGTERM', () => stop('SIGTERM', env.PROMPTQ_STOP_GRACE_SECONDS));
process.on('SIGINT', () => stop('SIGINT', env.PROMPTQ_STOP_GRACE_SECONDS));
// Only a child of the local run has this channel. When it closes, the parent is gone and no one can take a report. The
// agents are ended, and the jobs are taken over when their leases expire.
process.once('disconnect', () => abandon('the parent is gone'));

const startedAt = timestamp(clock.now());
const agentVersions = cliVersions(env);
const registration = new Registration({
  workers,
  describe,
  log,
  unacknowledgedLimitMs: env.PROMPTQ_UNACKNOWLEDGED_SECONDS * 1000,
  onUnacknowledged: () => {
    exitCode = 1;
    abandon('the registry acknowledges nothing');
  },
});
await registration.start(draining.signal);
const { jobs, threads, locks } = services;
const { PROMPTQ_WORKSPACES: workspaces, PROMPTQ_WORKSPACE_DAYS: days } = env;
const sweeper = new WorkspaceSweeper({ workspaces, days, jobs, threads, locks, clock, workerId, log });
sweeper.start();
void new IdleShutdown({
  idleFor: env.PROMPTQ_IDLE_SECONDS === undefined ? undefined : env.PROMPTQ_IDLE_SECONDS * 1000,
  idleSince: () => Math.min(worker.idleSince, loginRunner.idleSince),
  isNeeded: async () => needsWorker(await vendorAccounts.read('codex')),
  isKept: keptWarm({ warm: env.PROMPTQ_WARM_WORKERS, clock, workers, workerId }),
  isOutdated: async () => await build.isOutdated(),
  source,
  registration,
  log,
})
  .wait(draining.signal)
  .then(() => draining.abort());
if (!draining.signal.aborted)
  log.info('ready', { slots: env.PROMPTQ_CONCURRENCY, version: env.PROMPTQ_VERSION, ...build.task });
await Promise.all([worker.run(env.PROMPTQ_CONCURRENCY), loginRunner.run()]);
await sweeper.stop();
await registration.end();
await releaseAccounts();
log.info('stopped');
process.exit(exitCode);

/** @returns how many processes an earlier worker left running */
async function killOrphans(): Promise<number> {
  if (accounts === undefined) return await endMarkedLike(markPrefix);
  let ended = 0;
  const started = [accounts.login, ...accounts.slots, ...accounts.slots.map(fetcherOf)];
  for (const account of started) ended += await endAccount(account);
  return ended;
}

/** Another worker may use an account once none of its processes is left. An unreleased account becomes free later. */
async function releaseAccounts(): Promise<void> {
  if (leases === undefined) return;
  await killOrphans()
    .then(() => leases.release())
    .catch((error: Error) => log.warn("this worker's accounts were not released; their leases expire", error));
}

/** Only the local run listens. A parent that is gone, or slow to listen, costs nothing. */
function announceChange(changed: string): void {
  if (process.connected) process.send?.({ changed }, undefined, {}, () => undefined);
}

/** @param graceSeconds after which the running jobs are released; default: they may run to their end. */
function stop(why: string, graceSeconds?: number): void {
  log.info('stopping', { why, running: worker.running.length, grace_seconds: graceSeconds });
  draining.abort();
  const state = graceSeconds === undefined ? 'retired' : 'stopped';
  registration.announceDraining(state).catch((error: Error) => log.warn('the shutdown was not announced', error));
  if (graceSeconds !== undefined) setTimeout(() => stopping.abort(), graceSeconds * 1000);
}

/**
 * Claims no further job, so that another worker is started: what survives under an account would run beside the next job
 * of its slot, and a worker without disk space or processes counts as one that takes jobs. A worker without accounts
 * stays: the next one would have the same machine.
 */
function retire(why: string): void {
  if (accounts === undefined) return;
  exitCode = 1;
  stop(why);
}

/** Ends what runs, then this process, even if something waits for an answer that never comes. */
function abandon(why: string): void {
  stop(why, 0);
  setTimeout(() => {
    const ended = killOrphans().catch((error: Error) => log.warn('agents may still run', error));
    void Promise.race([ended, sleep(ORPHANS_TIMEOUT_MS)]).then(() => process.exit(1));
  }, ABANDON_TIMEOUT_MS).unref();
}

async function describe() {
  return {
    id: workerId,
    host: hostname(),
    version: env.PROMPTQ_VERSION,
    concurrency: env.PROMPTQ_CONCURRENCY,
    running: worker.running,
    started_at: startedAt,
    ...build.task,
    agents: await agentVersions,
    machine: await describeMachine(env.PROMPTQ_WORK_DIR),
  };
}
