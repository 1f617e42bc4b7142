/** One action of the practice model. A prompt without drills is one `show`. */
export type Step =
  | { readonly drill: 'show' }
  | { readonly drill: 'tool'; readonly command: string }
  | { readonly drill: 'orphan' }
  | { readonly drill: 'sleep'; readonly seconds: number }
  | { readonly drill: 'flood'; readonly bytes: number }
  | { readonly drill: 'hang' }
  | { readonly drill: 'follow-up'; readonly payload: string }
  | { readonly drill: 'fail'; readonly status: number }
  | { readonly drill: 'usage-limit'; readonly seconds: number }
  | { readonly drill: 'not-logged-in' }
  | { readonly drill: 'unknown'; readonly line: string };

/** Drills that answer with an HTTP error. */
export type RefusingStep = Extract<Step, { drill: 'fail' | 'usage-limit' | 'not-logged-in' }>;

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
] as const;

/**
 * The steps of a prompt, in order: each line `drill: NAME ARGUMENTS` is one, all other lines are plain prompt. A line
 * that starts like a drill but isn't one becomes an `unknown` step; a prompt without any drill is one `show`.
 */
export function planSteps(prompt: string): readonly Step[] {
  const steps = Array.from(prompt.matchAll(DRILL_LINE), ([, name = '', rest = '']): Step => {
    return readDrill(name, rest.trim()) ?? { drill: 'unknown', line: `${name}${rest}`.trim() };
  });
  return steps.length > 0 ? steps : [{ drill: 'show' }];
}

/** Whether a step answers with an HTTP error. */
export function isRefusing(step: Step): step is RefusingStep {
  return step.drill === 'fail' || step.drill === 'usage-limit' || step.drill === 'not-logged-in';
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
    case 'sleep':
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
    case 'not-logged-in':
      return rest === '' ? { drill: name } : undefined;
    default:
      return undefined;
  }
}

function readSeconds(text: string, make: (seconds: number) => Step): Step | undefined {
  return /^\d{1,6}(\.\d{1,3})?$/.test(text) ? make(Number(text)) : undefined;
}
