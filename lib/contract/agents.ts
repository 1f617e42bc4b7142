/** The supported agent CLIs, and the plain shell. */
export const AGENTS = ['codex', 'claude', 'shell'] as const;
export type AgentName = (typeof AGENTS)[number];

/** Those whose CLI a deployment can leave out of the workers' image; the shell is part of it. */
export const OPTIONAL_AGENTS = ['codex', 'claude'] as const satisfies readonly AgentName[];

/** All that the service knows about an agent, except how to start it and how to read its output. */
interface AgentDefinition {
  /** Maximum length of the composed prompt in characters (code points, not UTF-16 units). */
  readonly maxPromptLength: number;
  /** Variable of the worker and of the agent: the path of the CLI, if it isn't the installed one. */
  readonly binary?: `PROMPTQ_${string}_BIN`;
  /**
   * Credentials of the vendor's account: the variable of the worker, and the name under which the agent gets it.
   * A profile can set either one, to use a separate account. The worker masks the values in all output.
   */
  readonly credentials: Readonly<Record<string, string>>;
}

/** The agents. Environments, limits, masking and accounts are derived from this table. */
export const AGENT_DEFINITIONS = {
  codex: {
    // codex's own limit; with a longer prompt it exits with 1.
    maxPromptLength: 1_048_576,
    binary: 'PROMPTQ_CODEX_BIN',
    credentials: { OPENAI_API_KEY: 'CODEX_API_KEY' },
  },
  claude: {
    // By the drive `exec`, claude reads 10 Mi UTF-16 units, and a character can take two.
    maxPromptLength: 5_242_880,
    binary: 'PROMPTQ_CLAUDE_BIN',
    // An API key, or the token of a subscription (`claude setup-token`).
    credentials: {
      ANTHROPIC_API_KEY: 'ANTHROPIC_API_KEY',
      CLAUDE_CODE_OAUTH_TOKEN: 'CLAUDE_CODE_OAUTH_TOKEN',
    },
  },
  shell: {
    // Its prompt is a file, whose length has no limit.
    maxPromptLength: Number.POSITIVE_INFINITY,
    credentials: {},
  },
} as const satisfies Readonly<Record<AgentName, AgentDefinition>>;

const DEFINITIONS = Object.values(AGENT_DEFINITIONS);
type CredentialVariable = { [Name in AgentName]: keyof (typeof AGENT_DEFINITIONS)[Name]['credentials'] }[AgentName];

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
