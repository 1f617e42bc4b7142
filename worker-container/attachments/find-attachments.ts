import type { Dir } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../../lib/contract/limits.ts';

/** A file to store. */
export interface FoundFile {
  /** Relative to the folder, segments separated by `/`. */
  readonly path: string;
  readonly bytes: number;
}

/** Begins the name of a file that is still being copied, at the top of the folder. A number follows. */
export const DRAFT_PREFIX = '.attach-';
const DRAFT = new RegExp(`^\\${DRAFT_PREFIX}\\d+$`);

/** The files of a folder that are stored, and how many are skipped, by reason. */
interface FoundFiles {
  readonly files: readonly FoundFile[];
  readonly left: ReadonlyMap<LeftFor, number>;
  /** The paths of what can't be read, folders included. */
  readonly unread: readonly string[];
}

type LeftFor = 'count' | 'size' | 'total' | 'kind' | 'name' | 'depth';

type Limits = Readonly<Record<keyof typeof LIMITS.attachments, number>>;

/** Most entries to scan, as a multiple of the count limit: a folder of millions would keep a worker busy for hours. */
const MAX_SCANNED = 10;

/**
 * Finds the files that can be stored: regular files with plain names, no links, no drafts, up to the limits.
 * @param owner Owner of the files. A file of another user with a second name elsewhere was not made here.
 */
export async function findAttachments(
  folder: string,
  limits: Limits = LIMITS.attachments,
  owner?: number,
): Promise<FoundFiles> {
  const files: FoundFile[] = [];
  const left = new Map<LeftFor, number>();
  const unread: string[] = [];
  const skip = (why: LeftFor) => left.set(why, (left.get(why) ?? 0) + 1);
  let total = 0;
  let looked = 0;
  for await (const entry of entriesOf(await opendir(folder), {
    root: folder,
    prefix: '',
    depth: limits.depth,
    owner,
  })) {
    looked += 1;
    if (looked > limits.count * MAX_SCANNED) break;
    if (typeof entry === 'string') skip(entry);
    else if ('unread' in entry) unread.push(entry.unread);
    else if (Buffer.byteLength(entry.path) > limits.pathBytes) skip('name');
    else if (files.length >= limits.count) skip('count');
    else if (entry.bytes > limits.fileBytes) skip('size');
    else if (total + entry.bytes > limits.totalBytes) skip('total');
    else {
      total += entry.bytes;
      files.push(entry);
    }
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, left, unread };
}

/** @param place.prefix the path of the folder below the root, with a `/` at its end */
async function* entriesOf(
  folder: Dir,
  { root, prefix, depth, owner }: { root: string; prefix: string; depth: number; owner: number | undefined },
): AsyncGenerator<FoundFile | LeftFor | { readonly unread: string }> {
  for await (const { name } of folder) {
    const path = prefix + name;
    // What a copy that was ended has left is part of a file.
    if (DRAFT.test(path)) continue;
    if (isMisleading(name)) yield 'name';
    else {
      const found = await lstat(join(root, path)).catch(() => undefined);
      if (found === undefined) yield { unread: path };
      else if (found.isFile() && (found.nlink === 1 || found.uid === (owner ?? found.uid)))
        yield { path, bytes: found.size };
      else if (!found.isDirectory()) yield 'kind';
      else if (depth <= 1) yield 'depth';
      else {
        const below = await opendir(join(root, path)).catch(() => undefined);
        if (below === undefined) yield { unread: path };
        else yield* entriesOf(below, { root, prefix: `${path}/`, depth: depth - 1, owner });
      }
    }
  }
}

/** Control characters, bidirectional controls, and U+FFFD, which replaces invalid UTF-8. */
const MISLEADING = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffd]/u;

/** Whether a name is no UTF-8, or is shown otherwise than it is: as another one, or as commands of a terminal. */
export function isMisleading(name: string): boolean {
  return MISLEADING.test(name);
}

const WHY: Readonly<Record<LeftFor, string>> = {
  count: `more than ${LIMITS.attachments.count} files`,
  size: `larger than ${LIMITS.attachments.fileBytes} bytes`,
  total: `more than ${LIMITS.attachments.totalBytes} bytes in all`,
  kind: 'a link or no regular file',
  name: `a name that is no UTF-8 or has control characters, or longer than ${LIMITS.attachments.pathBytes} bytes`,
  depth: `more than ${LIMITS.attachments.depth} folders deep`,
};

/** Paths that are named in warnings. A job has room for ten warnings. */
const MAX_NAMED = 3;

/** Warnings for the client about files that were skipped, not masked. */
export function warningsOf({ left, unread }: Pick<FoundFiles, 'left' | 'unread'>): string[] {
  const named = unread.slice(0, MAX_NAMED).map((path) => `attachments: not kept, because it can't be read: ${path}`);
  const others = unread.length - named.length;
  return [
    ...named,
    ...(others > 0 ? [`attachments: ${others} more not kept: they can't be read`] : []),
    ...[...left].map(([why, count]) => `attachments: ${count} not kept: ${WHY[why]}`),
  ];
}
