import { isDeepStrictEqual } from 'node:util';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { isTerminal } from '../../../lib/contract/statuses.ts';
import { JobCounts } from '../../../lib/counters/counts.ts';
import { jobIdOf } from '../../../lib/jobs/lifecycle/cause.ts';
import { isOutputDeleted } from '../../../lib/jobs/lifecycle/deleted-output.ts';
import { followUpIds } from '../../../lib/jobs/lifecycle/follow-up-record.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { OutputStore } from '../../../lib/jobs/output/output-store.ts';
import { rereadJob } from '../../../lib/jobs/reread/reread-job.ts';
import { QuestionStore } from '../../../lib/jobs/store/question-store.ts';
import { PRINCIPAL_KINDS } from '../../../lib/platform/aws/tables.ts';
import type { ModelClient } from '../model/client.ts';
import { ENV } from '../model/environment.ts';
import type { SimulatedProcess } from '../model/simulated-process.ts';
import { leftOf } from '../rules/deletion-rules.ts';
import type { DeploymentRules } from '../rules/deployment-rules.ts';
import { faultsOfFeed } from '../rules/event-rules.ts';
import { isStopped } from '../rules/thread-rules.ts';
import type { ModelAgents } from './agent.ts';
import type { Acknowledged } from './clients/acknowledged.ts';
import type { ModelDeployment } from './deployment.ts';
import { sha256 } from './output.ts';
import { watchOf } from './workers.ts';

/** A lost attempt must have ended after so many milliseconds: fence, polite signal, then kill. */
export const ENDED_AFTER = 36_000;

/** Whether each job has ended, and every action after its end is done; a turn may wait for a person. */
export function areAtRest(deployment: ModelDeployment): boolean {
  const jobs = [...deployment.allJobs(), ...deployment.systemJobs()];
  const byId = new Map(jobs.map((job) => [job.id, job]));
  return jobs.every((job) => isAtRest(job, byId));
}

function isAtRest(job: Job, jobs: ReadonlyMap<string, Job>): boolean {
  if (job.effects !== undefined) return false;
  return isTerminal(job.status) || job.status === 'DRAFT' || isStopped(job, jobs);
}

interface Judge {
  readonly process: SimulatedProcess;
  readonly client: ModelClient;
  readonly acknowledged: Acknowledged;
  readonly agents: ModelAgents;
  readonly deployments: DeploymentRules;
}

/** What is wrong once the faults are over and everything has had time to settle. */
export async function faultsAtRest(deployment: ModelDeployment, judge: Judge): Promise<string[]> {
  const jobs = deployment.allJobs();
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const ids = new Set(byId.keys());
  const counts = await new JobCounts({ table: judge.client.table, registryTable: ENV.REGISTRY_TABLE }).read();
  const recount = deployment.recount();
  const keys = jobs.flatMap(({ cause }) => (cause.kind === 'client' && cause.key !== undefined ? [cause.key] : []));
  const texts = new Set(deployment.registry.all().map(({ id }) => id));
  return [
    ...[...jobs, ...deployment.systemJobs()]
      .filter((job) => !isAtRest(job, byId))
      .map(
        (job) =>
          `${deployment.nameOf(job.id)} stays ${job.status} (${job.reason}; effects ${JSON.stringify(job.effects)})`,
      ),
    ...[...judge.acknowledged.ids]
      .filter((id) => !ids.has(id))
      .map((id) => `${deployment.nameOf(id)} was acknowledged and is lost`),
    ...jobs
      .filter((job) => !texts.has(`${job.id}#${job.texts}`))
      .map(({ id }) => `${deployment.nameOf(id)} has no texts`),
    ...jobs
      .filter(({ id, status, attempt }) => status === 'SUCCEEDED' && !deployment.hasReceipt(id, attempt))
      .map(({ id }) => `${deployment.nameOf(id)} succeeded without a receipt`),
    ...(new Set(keys).size === keys.length ? [] : ['two jobs have one key']),
    ...(isDeepStrictEqual({ ...counts }, recount)
      ? []
      : [`counts are ${JSON.stringify(counts)}, a recount gives ${JSON.stringify(recount)}`]),
    ...(await faultsOfFeed(deployment, judge.client.table)),
    // One that was paused after its claim may begin only now; it ends as others do.
    ...[...judge.agents.live]
      .filter(({ process }) => process.hasRunSince(deployment.time.now - ENDED_AFTER))
      .map((run) => `attempt ${run.attempt} of ${deployment.nameOf(run.job)} still runs`),
    ...faultsOfFollowUps(deployment, judge.agents, jobs),
    ...judge.deployments.faultsAtRest(),
    ...deployment.trees.faultsAtRest(jobs),
    ...judge.agents.forks.faultsAtRest(jobs),
    ...judge.agents.delegation.faultsAtRest(jobs),
    ...judge.agents.messages.faultsAtRest(judge.acknowledged.messages, jobs),
    ...(await judge.agents.questions.faultsAtRest(questionsOf(judge), judge.acknowledged.answers, jobs)),
    ...jobs.flatMap((job) =>
      leftOf(deployment, job).map((left) => `output of ${deployment.nameOf(job.id)} was deleted, and ${left} is left`),
    ),
    ...(await faultsOfOutput(deployment, judge, byId)),
    ...(await faultsOfRereads(deployment, judge, jobs)),
  ];
}

function questionsOf({ client }: Judge): QuestionStore {
  return new QuestionStore({ table: client.table, registryTable: ENV.REGISTRY_TABLE });
}

/** Every good block of a success that counted became one job, within the limits, and nothing else did. */
function faultsOfFollowUps(deployment: ModelDeployment, agents: ModelAgents, jobs: readonly Job[]): string[] {
  const { depth, perJob } = LIMITS.followUps;
  const wanted = new Map<string, string[]>();
  for (const success of deployment.succeeded) {
    const [id = '', attempt = ''] = success.split('/');
    const good = agents.written.get(success)?.good ?? [];
    const ids = good.map((position) => jobIdOf({ kind: 'follow_up', job: id, attempt: Number(attempt), position }));
    wanted.set(id, [...(wanted.get(id) ?? []), ...ids]);
  }
  const children = Map.groupBy(jobs, ({ ancestors }) => ancestors?.at(-1)?.id ?? '');
  return jobs.flatMap((parent) => {
    const asked = (parent.ancestors ?? []).length >= depth ? [] : (wanted.get(parent.id) ?? []);
    const all = (children.get(parent.id) ?? []).map(({ id }) => id);
    const made = all.filter((id) => !agents.delegation.asked.has(id));
    const room = perJob - (parent.tool_children?.length ?? 0);
    const tell = (fault: string) => [`follow-ups of ${deployment.nameOf(parent.id)}: ${fault}`];
    // Also by count: two that share an id are one too few.
    const isShort = made.length < Math.min(asked.length, room);
    if (isShort && !hasRevokedToken(deployment, parent) && !deployment.trees.refuses(parent))
      return tell(`${made.length} of ${asked.length} are there`);
    if (made.some((id) => !asked.includes(id))) return tell('one is there that no success asked for');
    const recorded = followUpIds(parent);
    return all.every((id) => recorded.includes(id)) ? [] : tell('one is there that the job does not know');
  });
}

/** Jobs start no others once the token that they were created with is revoked. */
function hasRevokedToken(deployment: ModelDeployment, { token_id: id = 'none' }: Job): boolean {
  const isRevoked = deployment.registry.get({ kind: PRINCIPAL_KINDS.token, id }, true)?.state === 'revoked';
  if (isRevoked) deployment.tellEvent('follow-up refused for a revoked token');
  return isRevoked;
}

/** What was kept is the beginning of what was written, all that was ever kept, and all of it where the receipt says so. */
async function faultsOfOutput(
  deployment: ModelDeployment,
  { client, agents }: Judge,
  jobs: ReadonlyMap<string, Job>,
): Promise<string[]> {
  const store = new OutputStore(client.objects, ENV.OUTPUT_BUCKET);
  const faults: string[] = [];
  for (const [name, { text }] of agents.written) {
    if (text === '') continue;
    const [id = '', attempt = '0'] = name.split('/');
    const job = jobs.get(id);
    if (job !== undefined && isOutputDeleted(job, Number(attempt))) continue;
    const tell = (fault: string) => faults.push(`output of attempt ${attempt} of ${deployment.nameOf(id)}: ${fault}`);
    const source = await store.openStream(id, Number(attempt), 'stdout');
    const kept = Buffer.concat(await Array.fromAsync(source.read()));
    const written = Buffer.from(text);
    if (!written.subarray(0, kept.length).equals(kept)) tell('it is not what was written');
    if (kept.length < deployment.keptOutput(id, Number(attempt))) tell('bytes that were kept are gone');
    const receipt = await store.readReceipt(id, Number(attempt));
    const { bytes, complete, sha256: hash } = receipt?.streams.stdout ?? {};
    if (bytes !== undefined && (bytes !== kept.length || hash !== sha256(kept)))
      tell('its receipt is about other bytes');
    if (complete === true && kept.length !== written.length) tell('it is not complete although its receipt says so');
  }
  return faults;
}

/** How many jobs of a world are reread at its end. */
const REREADS = 5;

/** A reread finds nothing missing, and a second one changes nothing. */
async function faultsOfRereads(
  deployment: ModelDeployment,
  { process }: Judge,
  jobs: readonly Job[],
): Promise<string[]> {
  const context = watchOf(deployment, process, { id: process.name, doing: 'reread' });
  const faults: string[] = [];
  for (let count = Math.min(REREADS, jobs.length); count > 0; count -= 1) {
    const known = deployment.random.pick(jobs);
    const tell = (fault: string) => faults.push(`a reread of ${deployment.nameOf(known.id)}: ${fault}`);
    const job = await context.jobs.get(known.id, { consistent: true });
    if (job === undefined) continue;
    // A reread makes no receipt. A worker that was replaced long ago may write one meanwhile.
    const unfinished = Array.from({ length: job.attempt }, (_, n) => n + 1).filter(
      (attempt) => !deployment.hasReceipt(job.id, attempt),
    );
    const first = await rereadJob(context, job);
    if (first.recoveredFollowUpIds.length > 0) tell('follow-ups were missing');
    if (first.job.status !== job.status) tell(`it became ${first.job.status}`);
    const second = await rereadJob(context, first.job);
    const changed = second.refreshed.filter((name) => !unfinished.some((n) => name.startsWith(`attempt ${n}:`)));
    if (changed.length > 0 || second.job.version !== first.job.version)
      tell(`done twice it changed ${changed.join(', ') || 'the job'}`);
  }
  return faults;
}
