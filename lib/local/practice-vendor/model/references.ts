import type { ToolResult } from './conversation.ts';
import type { Step } from './drills.ts';

/** A tool that was called before, and a JSON Pointer (RFC 6901) into what it answered. */
const REFERENCE = /^\$([a-z_]{1,60})((?:\/[^/]+)+)$/;

/**
 * The input of a `use`, with what earlier calls of the turn answered: `"$create_job/id"` is the member `id` of the last
 * answer of `create_job`. A text that refers to nothing stays as it is.
 */
export function resolved(input: unknown, steps: readonly Step[], results: readonly ToolResult[]): unknown {
  if (Array.isArray(input)) return input.map((value) => resolved(value, steps, results));
  if (typeof input === 'object' && input !== null) {
    return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, resolved(value, steps, results)]));
  }
  if (typeof input !== 'string') return input;
  const [, tool, pointer = ''] = REFERENCE.exec(input) ?? [];
  if (tool === undefined) return input;
  const last = results.findLast(({ step }) => {
    const called = steps[step];
    return called?.drill === 'use' && called.tool === tool;
  });
  return memberAt(last?.output, pointer) ?? input;
}

/** What a pointer finds in a JSON text; undefined: nothing, or the text is no JSON. */
function memberAt(text: string | undefined, pointer: string): unknown {
  if (text === undefined) return undefined;
  try {
    return pointer
      .split('/')
      .slice(1)
      .reduce<unknown>((value, key) => {
        const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
        const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
        return isThere ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
      }, JSON.parse(text));
  } catch {
    return undefined;
  }
}
