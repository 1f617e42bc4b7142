import { claude } from './agents/claude.ts';
import { codex } from './agents/codex.ts';
import type { Abilities, AgentDefinition } from './agents/definition.ts';
import { shell } from './agents/shell.ts';

/**
 * The supported agent CLIs, and the plain shell. The API, the console, environments, limits, masking, accounts,
 * adapters and parsers are derived from this table. It lists its files, because bundles, the console and types can't
 * read a folder.
 */
export const AGENT_DEFINITIONS = { codex, claude, shell } as const satisfies Readonly<Record<string, AgentDefinition>>;

type Definitions = typeof AGENT_DEFINITIONS;
export type AgentName = keyof Definitions;
export const AGENTS = Object.keys(AGENT_DEFINITIONS) as [AgentName, ...AgentName[]];

/** The agents whose definition has what `Shape` has. */
type NamesWith<Shape> = { [Name in AgentName]: Definitions[Name] extends Shape ? Name : never }[AgentName];

/** Those whose CLI a deployment can leave out of the workers' image; the shell is part of it. */
export const OPTIONAL_AGENTS = AGENTS.filter(
  (name): name is NamesWith<{ isInImage: true }> => AGENT_DEFINITIONS[name].isInImage,
);

/** What jobs of an agent can do. */
export function abilitiesOf(name: AgentName): Abilities {
  const { abilities, cli }: AgentDefinition = AGENT_DEFINITIONS[name];
  return abilities ?? { resume: cli?.sessionFolder !== undefined, steer: false, ask: false };
}

/** The shell, and agents whose CLI is found on the worker's PATH. */
export const AGENTS_OUTSIDE_IMAGE = AGENTS.filter((name) => !AGENT_DEFINITIONS[name].isInImage);

/** The agents with a separate adapter and parser. */
export type SpecialAgent = Exclude<AgentName, NamesWith<{ cli: object }>>;

const DEFINITIONS = Object.values(AGENT_DEFINITIONS);
type CredentialVariable = { [Name in AgentName]: keyof Definitions[Name]['credentials'] }[AgentName];

/** The worker's variables with the paths of CLIs. */
export const BINARY_VARIABLES = DEFINITIONS.flatMap((agent) => ('binary' in agent ? [agent.binary] : []));

/** The worker's variables with credentials of vendor accounts. */
export const CREDENTIAL_VARIABLES = DEFINITIONS.flatMap(
  ({ credentials }) => Object.keys(credentials) as CredentialVariable[],
);

/** The variables by which a profile gives its agent a separate vendor account. */
export const PROFILE_CREDENTIALS: ReadonlySet<string> = new Set(
  DEFINITIONS.flatMap(({ credentials }) => Object.entries<string>(credentials).flat()),
);

/** The CLIs of the agents that have no separate adapter. */
export const PLAIN_CLIS = Object.entries<AgentDefinition>(AGENT_DEFINITIONS).flatMap(([name, { cli, binary }]) =>
  cli === undefined ? [] : [{ name: name as AgentName, cli, binary }],
);
