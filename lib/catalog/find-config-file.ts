import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { type Document, isCollection, isNode, LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import { describeIssue } from '../contract/input/input-fault.ts';
import { rejectUnsound } from '../contract/input/reject-unsound.ts';
import { LIMITS } from '../contract/limits.ts';
import { type ConfigDocument, configDocument } from '../contract/schemas/config.ts';
import { withoutNulls } from '../contract/schemas/fields/entry.ts';

/**
 * Parses a configuration document from YAML, of which JSON is a subset.
 * @param name of the file, for error messages
 * @throws Error that lists every fault with its line and its path in the document
 */
export function readConfigFile(name: string, text: string): ConfigDocument {
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  if (parsed.errors.length > 0) {
    throw validationError(
      parsed.errors.map(({ message, linePos }) => `${name}:${linePos?.[0].line ?? 1}: ${firstLine(message)}`),
    );
  }
  const value: unknown = withoutNulls(parsed.toJS({ maxAliasCount: 100 }) ?? {});
  rejectUnsound(name, value);
  const result = configDocument.safeParse(value);
  if (result.success) return result.data;
  throw validationError(
    result.error.issues.map((issue) => `${name}:${lineOf(parsed, lines, issue.path)}: ${sentence(issue, value)}`),
  );
}

function sentence(issue: z.core.$ZodIssue, value: unknown): string {
  return issue.path.length > 0 ? describeIssue('', issue, value) : describeIssue('the document', issue, value);
}

/** The first line of the node at a path, or of its nearest ancestor. */
function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  const root = document.contents;
  return isCollection(root) && root.range ? lines.linePos(root.range[0]).line : 1;
}

function firstLine(message: string): string {
  return message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message;
}

function validationError(sentences: readonly string[]): Error {
  const shown = sentences.slice(0, LIMITS.faults);
  const rest = sentences.length - shown.length;
  return new Error(`the configuration is not right:\n  ${shown.join('\n  ')}${rest > 0 ? `\n  and ${rest} more` : ''}`);
}

/** The file that applies if it exists and no other is named. */
const DEFAULT_CONFIG_FILE = 'promptq.config.yaml';

/** A valid configuration file. */
export interface ConfigFile {
  readonly path: string;
  readonly document: ConfigDocument;
}

/** A configuration file that can't be applied. The message is for the operator; no stack trace is needed. */
export class ConfigFileError extends Error {
  override readonly name = 'ConfigFileError';
}

/**
 * Reads a configuration file from disk.
 * @param given the operator's path; undefined or empty: `promptq.config.yaml`, if it exists
 * @param options.folder that the path is relative to
 * @param options.setting the name of the operator's setting, for messages
 * @throws ConfigFileError that lists every fault with line and path, or names the missing file
 */
export async function findConfigFile(
  given: string | undefined,
  { folder, setting }: { readonly folder: string; readonly setting: string },
): Promise<ConfigFile | undefined> {
  const isNamed = given !== undefined && given !== '' && given !== DEFAULT_CONFIG_FILE;
  const path = isNamed ? given : DEFAULT_CONFIG_FILE;
  let text: string;
  try {
    text = await readFile(resolve(folder, path), 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !isNamed) return undefined;
    throw new ConfigFileError(`the configuration ${path} (${setting}) can't be read: ${message}`);
  }
  try {
    return { path, document: readConfigFile(relative(folder, resolve(folder, path)) || path, text) };
  } catch (error) {
    throw new ConfigFileError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
