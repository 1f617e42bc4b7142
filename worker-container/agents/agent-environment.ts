import { type Profile, type ProfileStore, secretNames } from '../../lib/catalog/profiles.ts';
import { AGENT_DEFINITIONS, type AgentName, CREDENTIAL_VARIABLES } from '../../lib/contract/agents.ts';
import { refusedKindOf } from '../../lib/contract/profile-variables.ts';
import { parameterVariable } from '../../lib/contract/schemas/parameter.ts';
import { textOfValue } from '../../lib/contract/templates/parameter-values.ts';
import { ACCOUNT_VENDORS } from '../../lib/contract/vendors.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { JobTexts } from '../../lib/jobs/store/job-texts.ts';
import { proxySecrets, surroundingsIn } from '../../lib/platform/config/surroundings.ts';
import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';
import type { AgentRun } from './agent.ts';

/** The vendor that an agent of this profile talks to; undefined: its own. */
export function vendorOf(env: WorkerEnv, profile: Profile): AgentRun['vendor'] {
  if (profile.vendor === 'own') return undefined;
  if (env.PROMPTQ_PRACTICE_URL === undefined || env.PROMPTQ_PRACTICE_KEY === undefined) {
    throw new Error(`profile ${profile.name} talks to the practice vendor, which only the local run has`);
  }
  return { baseUrl: env.PROMPTQ_PRACTICE_URL, apiKey: env.PROMPTQ_PRACTICE_KEY };
}

/** The practice vendor's address, if the linked login is its; undefined otherwise. */
export function practiceUrlOf(env: WorkerEnv, profile: Profile): string | undefined {
  if (profile.vendor !== 'own' || profile.agent !== 'codex') return undefined;
  return practiceUrl(env);
}

/** The practice vendor, if it issues the logins; undefined: the vendors issue them. */
export function practiceUrl(env: WorkerEnv): string | undefined {
  if (env.PROMPTQ_VENDOR === 'real') return undefined;
  if (env.PROMPTQ_PRACTICE_URL === undefined)
    throw new Error('there is no practice vendor: only the local run has one');
  return env.PROMPTQ_PRACTICE_URL;
}

/** Whether an agent of this profile uses the linked account, rather than a given key or none. */
export function usesLogin(env: WorkerEnv, profile: Profile): boolean {
  if (profile.agent !== 'codex' || profile.vendor !== 'own') return false;
  if (env.PROMPTQ_VENDOR === 'practice') return true;
  const { CODEX_API_KEY, OPENAI_API_KEY = env.OPENAI_API_KEY } = profile.env;
  return CODEX_API_KEY === undefined && OPENAI_API_KEY === undefined;
}

/** Whether a job parked for lack of an account waits for the linked one. */
export async function waitsForLogin(
  env: WorkerEnv,
  profiles: Pick<ProfileStore, 'get'>,
  job: Pick<Job, 'profile'>,
): Promise<boolean> {
  const profile = await profiles.get(job.profile);
  return profile !== undefined && usesLogin(env, profile);
}

/**
 * The complete environment of an agent. It is an allow-list: nothing of the worker's own (AWS credentials and where to
 * get them, names of tables and queues) reaches what a prompt can run.
 * @param personal variables of the account that it runs under; a profile's own variables override them.
 */
export function agentEnvironment(
  env: WorkerEnv,
  profile: Profile,
  secrets: Secrets = new Map(),
  personal: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    ...plainEnvironment(env),
    ...personal,
    ...binaryOf(env, profile.agent),
    ...(profile.vendor === 'own' && credentialsOf(env, profile)),
    ...resolved(profile, secrets),
  };
}

/** Variables that every CLI and command gets. */
export function plainEnvironment(env: WorkerEnv): Record<string, string> {
  const { PATH, HOME, LANG, PROMPTQ_RUN_HOME, PROMPTQ_SLOT_UID } = env;
  const { USER, LOGNAME, ...others } = surroundingsIn(env);
  // An account of a slot is another user.
  const user = PROMPTQ_SLOT_UID === undefined ? { USER, LOGNAME } : {};
  return given({ ...others, ...user, PATH, HOME, LANG, PROMPTQ_RUN_HOME });
}

/**
 * The variables with parameters, which every agent and command of a job gets. A profile can't set variables of these names.
 * @param project values of its parameters by name, when the attempt started
 * @param from the template of the job. Its values replace the project's; others are passed only if the template says so
 */
export function parameterVariables(
  project: Readonly<Record<string, string>>,
  from?: JobTexts['from'],
): Record<string, string> {
  const { parameters = {}, in_environment: isPassed = false } = from ?? {};
  const passed = Object.entries(parameters).filter(([name]) => isPassed || Object.hasOwn(project, name));
  const own = passed.map(([name, value]) => [name, textOfValue(value)] as const);
  return Object.fromEntries(
    [...Object.entries(project), ...own].map(([name, value]) => [parameterVariable(name), value]),
  );
}

/** Variables for an agent's CLI while it makes or ends a login. */
export function loginEnvironment(env: WorkerEnv, agent: AgentName): Record<string, string> {
  return { ...plainEnvironment(env), ...binaryOf(env, agent) };
}

/**
 * Warnings about a profile's variables: it was stored before some of them were rejected, and its jobs still get them; or
 * the commands that its agent runs don't see them.
 */
export function variableWarnings(profile: Profile): string[] {
  const names = namesOfKind(profile, 'interpreter');
  const hidden = hidesVariables(profile.agent) ? secretsHidden(profile) : [];
  return [
    ...(names.length === 0
      ? []
      : [`profile ${profile.name} sets ${names.join(', ')}, which imports refuse now: import it without`]),
    ...(hidden.length === 0
      ? []
      : [
          `profile ${profile.name}: the agent's commands don't see ${hidden.join(', ')}; ` +
            'a secret with "commands": true reaches them',
        ]),
  ];
}

/** Whether an agent's adapter keeps variables from the commands that the agent runs. */
function hidesVariables(agent: AgentName): boolean {
  return agent === 'codex' || agent === 'claude';
}

/** The variables that the commands of a profile's agent don't see: credentials, and secrets that are not passed on. */
export function hiddenFromCommands(profile: Profile): string[] {
  return [...credentialNames(profile.agent), ...secretsHidden(profile)];
}

function secretsHidden({ agent, env }: Profile): string[] {
  const credentials = credentialNames(agent);
  const names = Object.entries(env).flatMap(([name, value]) =>
    typeof value === 'string' || value.commands === true || credentials.includes(name) ? [] : [name],
  );
  return names.toSorted();
}

/** The credentials of an agent's vendor, by the worker's names and by the agent's. */
function credentialNames(agent: AgentName): string[] {
  return Object.entries<string>(AGENT_DEFINITIONS[agent].credentials).flat();
}

function namesOfKind(profile: Profile, kind: 'loader' | 'interpreter'): string[] {
  return Object.keys(profile.env)
    .filter((name) => refusedKindOf(name) === kind)
    .toSorted();
}

/** Values of secrets by name. */
type Secrets = ReadonlyMap<string, string>;

/**
 * @throws Error that names the missing secrets, or the dynamic loader's variables: a profile stored when these were
 * allowed must not have them either.
 */
function resolved(profile: Profile, secrets: Secrets): Record<string, string> {
  const loaders = namesOfKind(profile, 'loader');
  if (loaders.length > 0)
    throw new Error(
      `profile ${profile.name} sets ${loaders.join(', ')}: no process of a job gets that. Import the profile without it`,
    );
  const missing = secretNames(profile).filter((name) => !secrets.has(name));
  if (missing.length > 0)
    throw new Error(`profile ${profile.name} needs the secret ${missing.join(', ')}, which is not set`);
  return Object.fromEntries(
    Object.entries(profile.env).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : (secrets.get(value.secret) ?? ''),
    ]),
  );
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The variable with the path of an agent's CLI. */
function binaryOf(env: WorkerEnv, agent: AgentName): Record<string, string> {
  const definition = AGENT_DEFINITIONS[agent];
  return 'binary' in definition ? given({ [definition.binary]: env[definition.binary] }) : {};
}

/** The credentials of the worker's vendor account, under the agent's names for them. A profile's own replace them all. */
function credentialsOf(env: WorkerEnv, { agent, env: own }: Profile): Record<string, string> {
  // Never send a real key to the practice vendor.
  if (env.PROMPTQ_VENDOR === 'practice' && LOGIN_AGENTS.has(agent)) return {};
  const ofWorker: Variables = Object.fromEntries(CREDENTIAL_VARIABLES.map((name) => [name, env[name]]));
  const names = Object.entries<string>(AGENT_DEFINITIONS[agent].credentials);
  if (credentialNames(agent).some((name) => Object.hasOwn(own, name))) return {};
  return given(Object.fromEntries(names.map(([name, ofAgent]) => [ofAgent, ofWorker[name]])));
}

/** Agents whose login the practice vendor can issue. */
const LOGIN_AGENTS: ReadonlySet<AgentName> = new Set(ACCOUNT_VENDORS);

function given(variables: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Values to mask in all output. Plain-text values of a profile are not secret. */
export function secretsOf(env: WorkerEnv, secrets: Secrets): string[] {
  const own = [...CREDENTIAL_VARIABLES.map((name) => env[name]), env.PROMPTQ_PRACTICE_KEY].filter(
    (value) => value !== undefined,
  );
  return [...own, ...proxySecrets(env), ...secrets.values()];
}
