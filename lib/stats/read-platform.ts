import { type ProfileStore, viewProfile } from '../catalog/profiles.ts';
import { AGENT_DEFINITIONS, AGENTS, type AgentName, abilitiesOf } from '../contract/agents.ts';
import { LIMITS } from '../contract/limits.ts';
import { snakeLimits } from '../contract/limits-view.ts';
import type { PlatformView } from '../contract/schemas/platform.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import type { LiveWorkers, WorkerInfo } from '../workers/live-workers.ts';
import type { StatsStore } from './counting/stats-store.ts';
import { platformGaps } from './platform-gaps.ts';
import { readModels } from './read-stats.ts';

interface PlatformContext {
  readonly workers: LiveWorkers;
  readonly profiles: ProfileStore;
  readonly stats: StatsStore;
}

/** What the deployment knows about itself. */
interface PlatformFacts extends Pick<PlatformView, 'version' | 'commit' | 'region' | 'features'> {
  readonly agents: readonly AgentName[];
  readonly timeoutUnit: string;
  readonly defaultProfile: string;
}

/** What this version of the service can do, with the settings of the deployment and what its workers report. */
export async function readPlatform(context: PlatformContext, facts: PlatformFacts, now: number): Promise<PlatformView> {
  const [workers, used, profiles] = await Promise.all([
    context.workers.list(),
    readModels(context.stats),
    context.profiles.page({ limit: LIMITS.catalog.profiles }),
  ]);
  const named = profiles.items.flatMap((stored) => viewProfile(stored, facts).model ?? []);
  const { version, commit, region, features } = facts;
  return {
    time: timestamp(now),
    ...{ version, commit, region },
    agents: AGENTS.map((name) => agentView(name, facts, workers)),
    models: [...new Set([...named, ...used])].sort().map((name) => ({ name, price: null })),
    limits: snakeLimits(LIMITS),
    features,
    stores: STORES.map((store) => ({ ...store, region })),
    missing: platformGaps(),
  };
}

function agentView(
  name: AgentName,
  { agents }: PlatformFacts,
  workers: readonly WorkerInfo[],
): PlatformView['agents'][number] {
  const { maxPromptLength } = AGENT_DEFINITIONS[name];
  const versions = new Set(workers.flatMap((worker) => worker.agents?.[name] ?? []));
  return {
    name,
    installed: agents.includes(name),
    versions: [...versions].sort(),
    max_prompt_length: Number.isFinite(maxPromptLength) ? maxPromptLength : null,
    capabilities: { ...abilitiesOf(name), schema: false, gateway: false },
  };
}

const STORES = [
  { name: 'jobs', service: 'DynamoDB', holds: 'jobs' },
  {
    name: 'registry',
    service: 'DynamoDB',
    holds: 'projects, templates, profiles, rules, diagrams, automations, tokens, sessions, counters, audit log',
  },
  { name: 'output', service: 'S3', holds: 'long prompts, output, files, sessions of agents, exports' },
  { name: 'queues', service: 'SQS', holds: 'hints that a job may be ready, and calls of deploy bindings' },
] as const;
