import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { ProfileStore } from '../../catalog/profiles.ts';
import { ApiError, InvalidFieldError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { PRINCIPAL_KINDS } from '../../platform/aws/tables.ts';
import type { Registry } from '../../platform/registry.ts';
import type { Job } from '../lifecycle/job.ts';
import { type Folders, namesBelow, resolveFolder, workingFolder } from '../lifecycle/working-folder.ts';
import type { CreationContext } from './create-job.ts';

/** Dependencies for creating a job in the name of another one. */
export interface DelegationContext extends CreationContext {
  readonly profiles: Pick<ProfileStore, 'get'>;
}

/** What a child is to be. */
interface Child {
  readonly profile?: string | undefined;
  readonly project_id: string;
  readonly cwd?: string | undefined;
  readonly priority?: number | undefined;
}

/**
 * The profile of a job that another one brings about: its parent's, or one that the parent's profile lists.
 * @throws InvalidFieldError for another profile, a folder outside the parent's, or a higher priority; ApiError if the parent may have none
 */
export async function profileOfChild(
  context: Pick<DelegationContext, 'folders' | 'profiles'>,
  parent: Job,
  child: Child,
): Promise<string> {
  if ((parent.ancestors ?? []).length >= LIMITS.followUps.depth)
    throw ApiError.because(
      'invalid_request',
      `follow-ups go at most ${LIMITS.followUps.depth} deep, and this job is the last`,
    );
  requireWithin(context.folders, parent, child);
  if (child.priority !== undefined && child.priority > parent.priority)
    throw InvalidFieldError.of(
      'priority',
      `received ${child.priority}; a job starts jobs of at most its own priority, ${parent.priority}`,
    );
  const { profile = parent.profile } = child;
  if (profile === parent.profile) return profile;
  const allowed = (await context.profiles.get(parent.profile))?.children ?? [];
  if (allowed.includes(profile)) return profile;
  const names = [parent.profile, ...allowed].map((name) => JSON.stringify(name)).join(', ');
  throw InvalidFieldError.of(
    'profile',
    `received ${JSON.stringify(profile)}; a job of profile ${parent.profile} starts jobs of ${names}`,
  );
}

function requireWithin(folders: Folders, parent: Job, { cwd, project_id }: Child): void {
  if (cwd === undefined) return;
  const own = workingFolder(folders, parent);
  const wanted = resolveFolder(folders, { id: parent.id, project_id, folder_of: parent.folder_of, cwd });
  if ('rejected' in wanted) throw InvalidFieldError.of('cwd', wanted.rejected);
  if ('path' in own && namesBelow(own.path, wanted.path) !== undefined) return;
  throw InvalidFieldError.of(
    'cwd',
    `received ${JSON.stringify(cwd)}; a job starts jobs only in its own folder and those below it`,
  );
}

/** Whether the token with which the first job of a chain of children was created may still create jobs. */
export async function isTokenActive(
  { table, registryTable }: Registry,
  { token_id: id }: Pick<Job, 'token_id'>,
): Promise<boolean> {
  if (id === undefined) return true;
  const { Item } = await table.send(
    new GetCommand({
      TableName: registryTable,
      Key: { kind: PRINCIPAL_KINDS.token, id },
      // The worker may read nothing else of a token.
      ProjectionExpression: '#kind, #id, #state',
      ExpressionAttributeNames: { '#kind': 'kind', '#id': 'id', '#state': 'state' },
      ConsistentRead: true,
    }),
  );
  return Item?.state === 'active';
}
