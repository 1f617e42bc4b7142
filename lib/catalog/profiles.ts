import { isDeepStrictEqual } from 'node:util';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { AGENTS } from '../contract/agents.ts';
import { DRIVE_SETTINGS } from '../contract/drives.ts';
import { ApiError } from '../contract/errors.ts';
import type { PageQuery } from '../contract/schemas/fields/page.ts';
import { FOLLOW_UPS, followUpsOf, type ProfileView, RESUMES, SANDBOXES, TOOLS } from '../contract/schemas/profile.ts';
import type { Registry } from '../platform/registry.ts';
import { registryPage } from '../platform/registry-page.ts';
import type { CatalogKind } from './catalog-kind.ts';
import { sandboxFault } from './sandboxes.ts';

/** The kind of the registry's items that are profiles. */
const PROFILE_KIND = 'profile';

/** A named execution setting. */
export const profileSchema = z.object({
  name: z.string().min(1),
  agent: z.enum(AGENTS),
  model: z.string().optional(),
  args: z.array(z.string()).default([]),
  /** Added to the agent's environment: a value, or the name of a secret that the worker resolves. */
  env: z
    .record(z.string(), z.union([z.string(), z.object({ secret: z.string(), commands: z.boolean().optional() })]))
    .default({}),
  /** `none`: the container is the sandbox. */
  sandbox: z.enum(SANDBOXES).default('none'),
  /** Per attempt, in the deployment's unit. */
  timeout: z.number().positive().optional(),
  retries: z.number().optional(),
  /** The maximum number of its jobs that run at once; absent: no limit. */
  concurrency: z.int().positive().optional(),
  /** Whether attempts continue the session of an interrupted one. */
  resume: z.enum(RESUMES).default('auto'),
  /** How the agent's CLI is run. */
  drive: z.enum(DRIVE_SETTINGS).default('auto'),
  /** Whether agents can call the tools of their attempt. */
  tools: z.enum(TOOLS).default('on'),
  /** Whether follow-up blocks become jobs; absent: by the agent. */
  follow_ups: z.enum(FOLLOW_UPS).optional(),
  /** Profiles that its jobs may give to jobs that they start, besides this one. */
  children: z.array(z.string()).default([]),
  /** The agent's API: its vendor, or the practice vendor of the local run. */
  vendor: z.enum(['own', 'practice']).default('own'),
});
export type Profile = z.output<typeof profileSchema>;

/** Names of the secrets that a profile refers to. */
export function secretNames(profile: Profile): string[] {
  return Object.values(profile.env).flatMap((value) => (typeof value === 'string' ? [] : [value.secret]));
}

/** A profile as the registry holds it. */
const storedProfileSchema = z.object({
  profile: profileSchema,
  source: z.enum(['built_in', 'imported']).default('built_in'),
  updated_at: z.string().nullable().default(null),
  /** The deployment's own profile that an imported one replaces, and that its removal puts back. */
  replaces: profileSchema.optional(),
});
type StoredProfile = z.output<typeof storedProfileSchema>;

/** Profiles that every deployment has. */
const BUILT_IN: readonly Profile[] = [
  profileSchema.parse({ name: 'codex', agent: 'codex' }),
  profileSchema.parse({ name: 'claude', agent: 'claude' }),
];

/** Whether every deployment has a profile of this name. */
function isBuiltIn(name: string): boolean {
  return BUILT_IN.some((profile) => profile.name === name);
}

/** The stored item of a profile of the deployment's own. */
export function seedItem(profile: Profile): Record<string, unknown> {
  return { ...profileKey(profile.name), profile };
}

/** The profile in a stored item. */
function readProfile(item: Record<string, unknown>): StoredProfile {
  return storedProfileSchema.parse(item);
}

/** The key of a profile's stored item. */
export function profileKey(name: string): { kind: string; id: string } {
  return { kind: PROFILE_KIND, id: name };
}

/** The profile of this name, given its stored item as of the last acknowledged import, if there is one. */
export function profileOf(name: string, item: Record<string, unknown> | undefined): Profile | undefined {
  return item === undefined ? BUILT_IN.find((profile) => profile.name === name) : readProfile(item).profile;
}

export const PROFILES: CatalogKind<'profiles', StoredProfile> = {
  list: 'profiles',
  kind: PROFILE_KIND,
  nameOf: ({ name }) => name,
  problems: (entries, { sandboxes }) =>
    entries.flatMap(({ sandbox = 'none' }, at) => {
      const problem = sandboxFault(sandbox, sandboxes);
      return problem === undefined ? [] : [{ fields: [`profiles[${at}].sandbox`], problem }];
    }),
  imported: (entry, item, at) => {
    const profile = profileSchema.parse(entry);
    const before = item && readProfile(item);
    const replaces = before?.source === 'built_in' ? before.profile : before?.replaces;
    return {
      item: {
        ...{ ...profileKey(profile.name), profile, source: 'imported', updated_at: at },
        ...(replaces !== undefined && { replaces }),
      },
      isSame: before?.source === 'imported' && isDeepStrictEqual(before.profile, profile),
      isNew: before?.source !== 'imported',
    };
  },
  exported: (item) => {
    const { profile, source } = readProfile(item);
    return source === 'imported' ? profile : undefined;
  },
  // A built-in profile of its name applies again.
  removed: (name, item, { defaultProfile }) => {
    const stored = item && readProfile(item);
    if (stored?.source !== 'imported') {
      if (stored === undefined && !isBuiltIn(name)) throw ApiError.of('not_found');
      throw rejection(`profile ${name} is built in: it can be replaced by an import, not removed`);
    }
    const { replaces } = stored;
    if (name === defaultProfile && replaces === undefined && !isBuiltIn(name))
      throw rejection(`profile ${name} is the deployment's default: jobs that name none need it`);
    return { answer: stored, ...(replaces !== undefined && { item: seedItem(replaces) }) };
  },
};

function rejection(why: string): ApiError {
  return ApiError.because('invalid_state', why, { action: 'delete' });
}

/** Profiles: the registry's, then the built-in ones. */
export class ProfileStore {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /**
   * @param options.consistent sees every acknowledged import; otherwise only a missing profile is read consistently.
   */
  async get(name: string, { consistent = false }: { consistent?: boolean } = {}): Promise<Profile | undefined> {
    const stored = await this.#read(name, consistent);
    if (stored !== undefined) return stored.profile;
    const builtIn = BUILT_IN.find((profile) => profile.name === name);
    if (builtIn !== undefined || consistent) return builtIn;
    return (await this.#read(name, true))?.profile;
  }

  /** A page in name order; the first page starts with the built-in profiles that are not replaced. */
  async page(query: PageQuery): Promise<{ items: StoredProfile[]; nextCursor: string | null }> {
    const { items, nextCursor } = await registryPage(this.#registry, PROFILE_KIND, query);
    const stored = items.map(readProfile);
    return { items: query.cursor === undefined ? [...(await this.#notReplaced()), ...stored] : stored, nextCursor };
  }

  /** Stores a default profile of the deployment. An imported one of that name replaces it until it is removed. */
  async seed(profile: z.input<typeof profileSchema>): Promise<void> {
    const stored = await this.#read(profile.name, true);
    if (stored?.source !== 'imported') return await this.put(profile);
    const replaces = profileSchema.parse(profile);
    if (!isDeepStrictEqual(stored.replaces, replaces))
      await this.#write({ ...profileKey(profile.name), ...stored, replaces });
  }

  async put(profile: z.input<typeof profileSchema>): Promise<void> {
    await this.#write(seedItem(profileSchema.parse(profile)));
  }

  async #write(Item: Record<string, unknown>): Promise<void> {
    const { table, registryTable } = this.#registry;
    await table.send(new PutCommand({ TableName: registryTable, Item }));
  }

  async #notReplaced(): Promise<StoredProfile[]> {
    const replaced = await Promise.all(BUILT_IN.map(async ({ name }) => (await this.#read(name, false)) !== undefined));
    return BUILT_IN.filter((_, at) => !replaced[at]).map((profile) => storedProfileSchema.parse({ profile }));
  }

  async #read(name: string, consistent: boolean): Promise<StoredProfile | undefined> {
    const { table, registryTable } = this.#registry;
    const { Item } = await table.send(
      new GetCommand({ TableName: registryTable, Key: profileKey(name), ConsistentRead: consistent }),
    );
    return Item && readProfile(Item);
  }
}

/** A profile as the API returns it. */
export function viewProfile(
  { profile, source, updated_at }: StoredProfile,
  deployment: { readonly timeoutUnit: string; readonly defaultProfile: string },
): ProfileView {
  return {
    ...profile,
    model: profile.model ?? null,
    timeout: profile.timeout ?? null,
    timeout_unit: deployment.timeoutUnit,
    retries: profile.retries ?? 0,
    concurrency: profile.concurrency ?? null,
    follow_ups: followUpsOf(profile),
    is_default: profile.name === deployment.defaultProfile,
    source,
    updated_at,
  };
}
