import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { ApiError } from '../contract/errors.ts';
import type { Registry } from '../platform/registry.ts';
import { changeCatalog } from './catalog-state.ts';
import { isBuiltIn, PROFILE_KIND, readProfile, type StoredProfile, seedItem } from './profiles.ts';
import { RULE_KIND, readRule, type StoredRule } from './rules.ts';

/** Removes a rule. @returns the removed rule. @throws ApiError `not_found` */
export async function removeRule(registry: Registry, id: string): Promise<StoredRule> {
  return await changeCatalog(registry, async ({ rules, profiles }) => {
    const item = await found(registry, { kind: RULE_KIND, id });
    if (item === undefined) throw ApiError.of('not_found');
    const items = [deletion(registry, { kind: RULE_KIND, id })];
    return { answer: readRule(item), write: { items, next: { rules: rules - 1, profiles } } };
  });
}

/**
 * Removes an imported profile; a built-in profile of its name applies again.
 * @returns the removed profile
 * @throws ApiError `not_found`; `invalid_state` for a built-in profile, and for the default profile of jobs
 */
export async function removeProfile(
  registry: Registry,
  name: string,
  { defaultProfile }: { defaultProfile: string },
): Promise<StoredProfile> {
  return await changeCatalog(registry, async ({ rules, profiles }) => {
    const item = await found(registry, { kind: PROFILE_KIND, id: name });
    const stored = item && readProfile(item);
    if (stored?.source !== 'imported') {
      if (stored === undefined && !isBuiltIn(name)) throw ApiError.of('not_found');
      throw rejection(`profile ${name} is built in: it can be replaced by an import, not removed`);
    }
    if (name === defaultProfile && stored.replaces === undefined && !isBuiltIn(name))
      throw rejection(`profile ${name} is the deployment's default: jobs that name none need it`);
    const { replaces } = stored;
    const items = [
      replaces === undefined
        ? deletion(registry, { kind: PROFILE_KIND, id: name })
        : { Put: { TableName: registry.registryTable, Item: seedItem(replaces) } },
    ];
    return { answer: stored, write: { items, next: { rules, profiles: profiles - 1 } } };
  });
}

interface Key {
  readonly kind: string;
  readonly id: string;
}

async function found({ table, registryTable }: Registry, Key: Key): Promise<Record<string, unknown> | undefined> {
  return (await table.send(new GetCommand({ TableName: registryTable, Key, ConsistentRead: true }))).Item;
}

function deletion({ registryTable }: Registry, { kind, id }: Key) {
  return { Delete: { TableName: registryTable, Key: { kind, id } } };
}

function rejection(why: string): ApiError {
  return ApiError.because('invalid_state', why, { action: 'delete' });
}
