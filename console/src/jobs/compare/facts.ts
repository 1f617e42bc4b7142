import { duration } from '../../format/duration.ts';
import { sizeText } from '../../format/size-text.ts';
import { endText, waitText } from '../job/past-attempts.tsx';
import { runOf, waitOf } from '../status/attempt-times.ts';
import { statusText } from '../status/job-status.tsx';
import { settingTexts } from './setting-texts.ts';
import type { Side } from './side.ts';

/** A fact about both sides. */
export interface Fact {
  readonly label: string;
  /** `-` if it is unknown. */
  readonly a: string;
  readonly b: string;
  /** A description of the difference; undefined if they are equal. */
  readonly difference?: string;
}

/** The outcome, usage and durations of the attempts, without facts that are unknown on both sides. */
export function outcomeFacts(a: Side, b: Side): Fact[] {
  const text = (label: string, of: (side: Side) => string | null | undefined) => textFact(label, of(a), of(b));
  const number = (label: string, of: (side: Side) => number | undefined, format: (value: number) => string) =>
    numberFact(label, of(a), of(b), format);
  return [
    text('State', stateText),
    text('Reason', ({ record, result }) => (record ?? result)?.state_reason?.message),
    text('Exit', exitText),
    text('Agent', ({ result, job }) => result?.agent ?? job.agent),
    text('Model', ({ result }) => result?.model_used),
    number('Wait', waitMs, duration),
    text('Wait counted', waitStart),
    number('Run time', ({ record, result }) => (record && runOf(record)) ?? result?.duration_ms ?? undefined, duration),
    number(
      'Cost',
      ({ result }) => result?.usage?.cost_usd,
      (usd) => `$${usd.toFixed(4)}`,
    ),
    number('Input tokens', ({ result }) => result?.usage?.input_tokens, countText),
    number('Cached input tokens', ({ result }) => result?.usage?.cached_input_tokens, countText),
    number('Output tokens', ({ result }) => result?.usage?.output_tokens, countText),
    number('Reasoning tokens', ({ result }) => result?.usage?.reasoning_output_tokens, countText),
    number('Output', ({ result }) => result && result.stdout_bytes + result.stderr_bytes, sizeText),
    number('Attachments', ({ result }) => result?.attachments.length, countText),
    number('Follow-up jobs', ({ result }) => result?.follow_up_ids.length, countText),
  ].filter(({ a: one, b: other }) => one !== '-' || other !== '-');
}

/** The settings of two jobs. */
export function settingFacts(a: Side, b: Side): Fact[] {
  const others = new Map(settingTexts(b.job));
  return settingTexts(a.job).map(([label, text]) => textFact(label, text, others.get(label)));
}

function stateText({ record, result, job, attempt }: Side): string | undefined {
  if (attempt === 0) return statusText(job.status);
  const known = record ?? result;
  return known && endText(known);
}

function exitText({ record, result }: Side): string | undefined {
  const { signal = null, exit_code: code = null } = record ?? result ?? {};
  if (signal !== null) return `by ${signal}`;
  return code === null ? undefined : String(code);
}

function waitMs({ job, attempt }: Side): number | undefined {
  return waitOf(job, attempt)?.ms;
}

/** The start of a wait, if it is not the time of queueing. */
function waitStart({ job, attempt }: Side): string | undefined {
  const wait = waitOf(job, attempt);
  return wait?.sinceAttempt === undefined ? undefined : waitText(wait).replace(/^started .* after/, 'from when');
}

function countText(value: number): string {
  return value.toLocaleString('en');
}

function textFact(label: string, a: string | null | undefined, b: string | null | undefined): Fact {
  const texts = { label, a: a ?? '-', b: b ?? '-' };
  if (texts.a === texts.b) return texts;
  return { ...texts, difference: texts.a === '-' || texts.b === '-' ? ONE_SIDE : 'Different' };
}

const ONE_SIDE = 'Known for one side only';

function numberFact(
  label: string,
  a: number | undefined,
  b: number | undefined,
  format: (value: number) => string,
): Fact {
  const texts = { label, a: a === undefined ? '-' : format(a), b: b === undefined ? '-' : format(b) };
  if (a === b) return texts;
  if (a === undefined || b === undefined) return { ...texts, difference: ONE_SIDE };
  const [sign, more] = b > a ? ['+', b - a] : ['−', a - b];
  const percent = a > 0 ? Math.round((more / a) * 100) : 0;
  return { ...texts, difference: `${sign}${format(more)}${percent > 0 ? ` (${sign}${countText(percent)} %)` : ''}` };
}
