/** One action of the practice model. A prompt without drills is one `show`. */
export type Step =
  | { readonly drill: 'show' }
  | { readonly drill: 'tool'; readonly command: string }
  | { readonly drill: 'orphan' }
  | { readonly drill: 'sleep'; readonly seconds: number }
  | { readonly drill: 'flood'; readonly bytes: number }
  | { readonly drill: 'hang' }
  /** One tool call of `calls` or `limit-after`. */
  | { readonly drill: 'call'; readonly number: number; readonly of: number }
  /** The end of `limit-after`: refused until that many seconds after it was first met. */
  | { readonly drill: 'limit'; readonly seconds: number }
  /** `calls` absent: endless. */
  | { readonly drill: 'spend'; readonly tokens: number; readonly calls: number | undefined }
  | { readonly drill: 'wait'; readonly seconds: number }
  /** Calls a tool of the attempt, or of another MCP server `promptq` of the CLI. Its input is `resolved`. */
  | { readonly drill: 'use'; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly drill: 'recall' }
  | { readonly drill: 'json'; readonly text: string }
  | { readonly drill: 'follow-up'; readonly payload: string }
  | { readonly drill: 'fail'; readonly status: number }
  | { readonly drill: 'usage-limit'; readonly seconds: number }
  | { readonly drill: 'not-logged-in' }
  | { readonly drill: 'unknown'; readonly line: string };

/** Drills that answer with an HTTP error. */
export type RefusingStep = Extract<Step, { drill: 'fail' | 'usage-limit' | 'limit' | 'not-logged-in' }>;

/** The syntax of each drill, for the message about an unknown one. */
export const DRILL_FORMS = [
  'drill: tool SHELL COMMAND',
  'drill: orphan',
  'drill: sleep SECONDS',
  'drill: flood 20MB (or KB)',
  'drill: hang',
  'drill: follow-up JSON',
  'drill: fail HTTP-STATUS (400 to 599)',
  'drill: usage-limit [SECONDS]',
  'drill: not-logged-in',
  'drill: calls N (1 to 1000)',
  'drill: limit-after N [SECONDS]',
  'drill: spend TOKENS [CALLS] (at most 100000 TOKENS)',
  'drill: wait SECONDS',
  'drill: use TOOL [JSON]',
  'drill: ask QUESTION',
  'drill: recall',
  'drill: json TEXT',
] as const;

/**
 * The steps of a prompt, in order: each line `drill: NAME ARGUMENTS` is one, all other lines are plain prompt. A line
 * that starts like a drill but isn't one becomes an `unknown` step; a prompt without any drill is one `show`.
 */
export function planSteps(prompt: string): readonly Step[] {
  const steps = Array.from(prompt.matchAll(DRILL_LINE), ([, name = '', rest = '']): readonly Step[] => {
    const arguments_ = rest.trim();
    const step = readDrill(name, arguments_);
    if (step !== undefined) return [step];
    return readCalls(name, arguments_) ?? [{ drill: 'unknown', line: `${name}${rest}`.trim() }];
  }).flat();
  return steps.length > 0 ? steps : [{ drill: 'show' }];
}

/** Whether a step answers with an HTTP error. */
export function isRefusing(step: Step): step is RefusingStep {
  return REFUSING.has(step.drill);
}

const REFUSING: ReadonlySet<Step['drill']> = new Set(['fail', 'usage-limit', 'limit', 'not-logged-in']);

/** Whether a prompt has drills, even unknown ones. */
export function hasDrills(prompt: string): boolean {
  return prompt.search(DRILL_LINE) >= 0;
}

const DRILL_LINE = /^[ \t]*drill:[ \t]*(\S*)(.*)$/gm;
const DEFAULT_LIMIT_SECONDS = 300;
const SIZE_UNITS = { KB: 1_000, MB: 1_000_000 } as const;

function readDrill(name: string, rest: string): Step | undefined {
  switch (name) {
    case 'tool':
      return rest === '' ? undefined : { drill: name, command: rest };
    case 'follow-up':
      // Not parsed: a malformed payload is a drill too.
      return rest === '' ? undefined : { drill: name, payload: rest };
    case 'json':
      return rest === '' ? undefined : { drill: name, text: rest };
    case 'use':
      return readUse(rest);
    case 'ask':
      return rest === '' ? undefined : { drill: 'use', tool: 'ask_human', input: { question: rest } };
    case 'spend':
      return readSpending(rest);
    case 'sleep':
    case 'wait':
      return readSeconds(rest, (seconds) => ({ drill: name, seconds }));
    case 'usage-limit':
      return readSeconds(rest === '' ? String(DEFAULT_LIMIT_SECONDS) : rest, (seconds) => ({ drill: name, seconds }));
    case 'flood': {
      const size = /^(?<count>\d{1,6})\s*(?<unit>KB|MB)$/i.exec(rest)?.groups;
      if (size === undefined) return undefined;
      const unit = size.unit?.toUpperCase() === 'KB' ? SIZE_UNITS.KB : SIZE_UNITS.MB;
      return { drill: name, bytes: Number(size.count) * unit };
    }
    case 'fail':
      return /^[45]\d\d$/.test(rest) ? { drill: name, status: Number(rest) } : undefined;
    case 'orphan':
    case 'hang':
    case 'recall':
    case 'not-logged-in':
      return rest === '' ? { drill: name } : undefined;
    default:
      return undefined;
  }
}

function readUse(rest: string): Step | undefined {
  const { tool, json = '{}' } = /^(?<tool>[a-z_]{1,60})(\s+(?<json>\{.*\}))?$/.exec(rest)?.groups ?? {};
  if (tool === undefined) return undefined;
  try {
    return { drill: 'use', tool, input: JSON.parse(json) as Readonly<Record<string, unknown>> };
  } catch {
    return undefined;
  }
}

function readSeconds(text: string, make: (seconds: number) => Step): Step | undefined {
  return /^\d{1,6}(\.\d{1,3})?$/.test(text) ? make(Number(text)) : undefined;
}

const MAX_CALLS = 1_000;

/** The drills that are several steps. */
function readCalls(name: string, rest: string): readonly Step[] | undefined {
  if (name !== 'calls' && name !== 'limit-after') return undefined;
  const [count = '', seconds = String(DEFAULT_LIMIT_SECONDS), more] = rest.split(/\s+/);
  const of = readCount(count, MAX_CALLS);
  if (of === undefined || more !== undefined) return undefined;
  const calls = Array.from({ length: of }, (_, index): Step => ({ drill: 'call', number: index + 1, of }));
  if (name === 'calls') return rest === count ? calls : undefined;
  const limit = readSeconds(seconds, (read) => ({ drill: 'limit', seconds: read }));
  return limit === undefined ? undefined : [...calls, limit];
}

/** At a usage of 262,000 tokens codex 0.169 summarises its history. */
const MAX_TOKENS = 100_000;

function readSpending(rest: string): Step | undefined {
  const [count = '', limit, more] = rest.split(/\s+/);
  const tokens = readCount(count, MAX_TOKENS);
  const calls = limit === undefined ? undefined : readCount(limit, MAX_CALLS);
  if (tokens === undefined || more !== undefined || (limit !== undefined && calls === undefined)) return undefined;
  return { drill: 'spend', tokens, calls };
}

function readCount(text: string, most: number): number | undefined {
  const count = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined;
  return count === undefined || count > most ? undefined : count;
}
