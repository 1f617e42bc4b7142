import { ApiError, InvalidFieldError } from '../../contract/errors.ts';
import { parseObject } from '../../contract/input/parse-object.ts';
import { LIMITS } from '../../contract/limits.ts';
import { followUpCreation } from '../../contract/schemas/jobs/job-creation.ts';
import { type NewFollowUp, oneName } from '../../contract/schemas/jobs/one-name.ts';
import { followUpsOf } from '../../contract/schemas/profile.ts';
import { transition } from '../dispatch/transition.ts';
import { slotsOf } from '../lifecycle/follow-up-record.ts';
import type { Job } from '../lifecycle/job.ts';
import { inheritedFolderOf, ownWorkFolder, workingFolder } from '../lifecycle/working-folder.ts';
import { type DelegationContext, isTokenActive, profileOfChild } from './child-rights.ts';
import type { PlacedBlock } from './collect-follow-ups.ts';
import { createJob } from './create-job.ts';
import { type BlockSearch, blocksOfLost, type OpenStream, readBlocks } from './read-follow-ups.ts';

/** Dependencies for creating follow-up jobs. */
export interface FollowUpContext extends DelegationContext {
  readonly openStream: OpenStream;
}

/**
 * Creates the follow-up jobs that a succeeded attempt requested, one after the other so that they queue in that order,
 * and records them on their parent. Safe to run concurrently and repeatedly, because the ids are derived.
 * @returns the updated parent, and the ids of the jobs that were created now
 */
export async function makeFollowUps(
  context: FollowUpContext,
  parent: Job,
  attempt: number,
): Promise<{ job: Job; created: string[] }> {
  const receipt = await context.readReceipt(parent.id, attempt);
  const created: string[] = [];
  const warnings: string[] = [];
  const ofOthers = slotsOf(parent).filter((slot) => slot.attempt !== attempt).length;
  const others = ofOthers + (parent.tool_children?.length ?? 0);
  const known = new Set(
    slotsOf(parent)
      .filter((slot) => slot.attempt === attempt)
      .map(({ position }) => position),
  );
  const made = new Set<number>();
  let beyond = receipt?.follow_ups?.more ?? 0;
  let isAuthorized: boolean | undefined;
  const until = context.clock.now() + LIMITS.followUps.searchSeconds * 1_000;
  const search: BlockSearch = {
    openStream: context.openStream,
    isTimeOver: () => context.clock.now() >= until,
    onCut: ({ read, size }) =>
      warnings.push(
        `follow-ups: ${read} of ${size} bytes of output were searched in ${LIMITS.followUps.searchSeconds} seconds; those after them are left out`,
      ),
  };
  const blocks =
    receipt === undefined ? blocksOfLost(search, context.readReceipt, parent, attempt) : readBlocks(search, receipt);
  // Of an attempt with a receipt its worker decided.
  const profile = receipt === undefined ? await context.profiles.get(parent.profile) : undefined;
  const isRead = profile === undefined || followUpsOf(profile) === 'on';
  for await (const block of isRead ? blocks : []) {
    const { position } = block;
    try {
      isAuthorized ??= await isTokenActive(context.registry, parent);
      if (!isAuthorized) throw rejection('the token with which this job was created is suspended or revoked');
      if (others + new Set([...made, ...known, position]).size > LIMITS.followUps.perJob) {
        beyond += 1;
        continue;
      }
      const asked = creationOf(context, parent, block);
      const { project = parent.project_id } = asked;
      const isSame = project === parent.project;
      const place = { ...asked, project_id: isSame ? parent.project_id : project };
      const creation = { ...asked, profile: await profileOfChild(context, parent, place) };
      const { id, replayed } = await createJob(context, creation, parent.created_by, {
        cause: { kind: 'follow_up', job: parent.id, attempt, position },
        of: parent,
        folderOf: inheritedFolderOf(context.folders, parent, creation.cwd),
      });
      made.add(position);
      if (!replayed) created.push(id);
    } catch (error) {
      if (!isInvalid(error)) throw error;
      // It was created earlier, when it was valid.
      if (known.has(position)) made.add(position);
      warnings.push(`follow-up ${position + 1}: ${error.message}`);
    }
  }
  if (beyond > 0)
    warnings.push(`${beyond} follow-up(s) left out: a job brings about at most ${LIMITS.followUps.perJob}`);
  const result = await transition(context, parent, {
    type: 'follow_up',
    attempt,
    positions: [...made],
    warnings: bounded(warnings),
  });
  if (!result.done) throw new Error(`job ${parent.id}: its follow-up jobs could not be recorded: ${result.rejected}`);
  return { job: result.job, created };
}

function isInvalid(error: unknown): error is ApiError | InvalidFieldError {
  return error instanceof InvalidFieldError || (error instanceof ApiError && error.code === 'invalid_request');
}

/** @throws ApiError that explains what is wrong with the block */
function creationOf(context: FollowUpContext, parent: Job, block: PlacedBlock): NewFollowUp {
  if ('fault' in block) {
    throw rejection(
      block.fault === 'not_closed'
        ? 'the block is not closed'
        : `the block is longer than ${LIMITS.followUps.blockBytes} bytes`,
    );
  }
  const value = parseJson(block.body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw rejection('a JSON object is needed');
  const creation = oneName(parseObject(followUpCreation, 'body', Object.fromEntries(Object.entries(value))));
  return { ...inherited(context, parent, creation), ...creation };
}

/** The parent's project and folder (a private one too), unless the request sets its own. */
function inherited(context: FollowUpContext, parent: Job, creation: NewFollowUp): Partial<NewFollowUp> {
  const { project: named } = creation;
  const isSame = named === undefined || named === parent.project_id || named === parent.project;
  const folder = workingFolder(context.folders, parent);
  // A relative folder resolves differently in another project.
  const elsewhere = 'path' in folder ? { cwd: folder.path } : {};
  return {
    ...(named === undefined && { project: parent.project_id }),
    ...(isSame ? { cwd: parent.cwd ?? ownWorkFolder(parent) } : elsewhere),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw rejection(`not valid JSON (${(error as Error).message})`);
  }
}

function rejection(why: string): ApiError {
  return ApiError.because('invalid_request', why);
}

/** Warnings are part of the job's item, and every write is billed for the whole item. */
function bounded(warnings: readonly string[]): string[] {
  const { count, length } = LIMITS.warnings;
  const kept = warnings.length <= count ? warnings : warnings.slice(0, count - 1);
  const rest = warnings.length - kept.length;
  const shown = kept.map((text) => (text.length <= length ? text : `${text.slice(0, length - 1)}…`.toWellFormed()));
  return rest === 0 ? shown : [...shown, `${rest} more`];
}
