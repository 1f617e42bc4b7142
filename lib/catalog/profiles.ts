import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { LIMITS } from '../contract/limits.ts';

const KIND = 'profile';

/** The vendors' CLIs that there are adapters for, and the plain shell. */
export const AGENTS = ['codex', 'claude', 'shell'] as const;

/** A named execution setting. */
export const profileSchema = z.object({
  name: z.string().min(1),
  agent: z.enum(AGENTS),
  model: z.string().optional(),
  args: z.array(z.string()).default([]),
  /** Added to the agent's environment. */
  env: z.record(z.string(), z.string()).default({}),
  /** `none`: the container is the sandbox. */
  sandbox: z.enum(['workspace-write', 'read-only', 'none']).default('none'),
  /** Per attempt, in the deployment's unit. */
  timeout: z.number().positive().optional(),
  /** Whom the agent talks to: its vendor, or the practice vendor of the local run. */
  vendor: z.enum(['own', 'practice']).default('own'),
});
export type Profile = z.output<typeof profileSchema>;

/** Profiles that every deployment has. */
const BUILT_IN: readonly Profile[] = [
  profileSchema.parse({ name: 'codex', agent: 'codex' }),
  profileSchema.parse({ name: 'claude', agent: 'claude' }),
];

/** Longest composed prompt in characters that an agent takes. */
export const MAX_PROMPT_LENGTH: Readonly<Record<Profile['agent'], number>> = {
  codex: LIMITS.codexPromptLength,
  claude: LIMITS.claudePromptLength,
  shell: Number.POSITIVE_INFINITY,
};

/** Named execution settings: the built-in ones, and those in the registry, which come first. */
export class ProfileStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(options: { table: DynamoDBDocumentClient; registryTable: string }) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
  }

  async get(name: string): Promise<Profile | undefined> {
    return (await this.#read(name)) ?? BUILT_IN.find((profile) => profile.name === name);
  }

  /** Whether the registry has the profile, built in or not. */
  async isSet(name: string): Promise<boolean> {
    return (await this.#read(name)) !== undefined;
  }

  async put(profile: z.input<typeof profileSchema>): Promise<void> {
    const Item = { kind: KIND, id: profile.name, profile: profileSchema.parse(profile) };
    await this.#table.send(new PutCommand({ TableName: this.#tableName, Item }));
  }

  async #read(name: string): Promise<Profile | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { kind: KIND, id: name } }),
    );
    return Item && profileSchema.parse(Item.profile);
  }
}
