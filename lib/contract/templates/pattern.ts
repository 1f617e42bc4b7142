/**
 * The patterns of parameters. A template's author writes the pattern and its users write the values, so no pattern may
 * make a match slow. JavaScript's expressions backtrack, which takes exponential time for some patterns. These are a
 * part of them that needs no backtracking: characters, `.`, classes such as `[a-z0-9]` and `\d`, groups, `|`, and
 * `*`, `+`, `?` and `{2,5}`.
 *
 * A pattern is compiled to a bounded number of steps. A match goes through the value once, with the set of all steps
 * that are possible at each character (Thompson's construction). The pattern has to match the whole value, as in
 * HTML; `^` at its beginning and `$` at its end are allowed and change nothing.
 */
import { LIMITS } from '../limits.ts';

/** A fault of a pattern, in words. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

interface Characters {
  readonly ranges: readonly (readonly [from: number, to: number])[];
  readonly isNegated: boolean;
}

type Node =
  | { readonly kind: 'one'; readonly characters: Characters }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly kind: 'choice'; readonly nodes: readonly Node[] }
  | { readonly kind: 'repeated'; readonly node: Node; readonly min: number; readonly max: number };

/** A step of a compiled pattern. */
type Step =
  | { readonly kind: 'end' }
  | { readonly kind: 'one'; readonly characters: Characters; readonly next: Step }
  | { readonly kind: 'either'; nexts: readonly Step[] };

/** Whether a pattern matches a whole value. @throws PatternError */
export function matchesPattern(pattern: string, value: string): boolean {
  const { first, end } = compiled(pattern);
  let steps = reached([first]);
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    const nexts = [...steps].flatMap((step) =>
      step.kind === 'one' && contains(step.characters, code) ? [step.next] : [],
    );
    if (nexts.length === 0) return false;
    steps = reached(nexts);
  }
  return steps.has(end);
}

/** Why a pattern can't be used; undefined: it can. */
export function patternFault(pattern: string): string | undefined {
  try {
    compiled(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

function compiled(pattern: string): { readonly first: Step; readonly end: Step } {
  const end: Step = { kind: 'end' };
  let count = 0;
  const counted = <S extends Step>(step: S): S => {
    count += 1;
    if (count > LIMITS.templates.patternSteps)
      throw new PatternError(`its repetitions take more than ${LIMITS.templates.patternSteps} steps`);
    return step;
  };
  const build = (node: Node, next: Step): Step => {
    if (node.kind === 'one') return counted({ kind: 'one', characters: node.characters, next });
    if (node.kind === 'sequence') return node.nodes.reduceRight((after, part) => build(part, after), next);
    if (node.kind === 'choice') return counted({ kind: 'either', nexts: node.nodes.map((part) => build(part, next)) });
    return repeated(node, next);
  };
  const repeated = ({ node, min, max }: Extract<Node, { kind: 'repeated' }>, next: Step): Step => {
    let step = next;
    if (max === Number.POSITIVE_INFINITY) {
      const loop = counted({ kind: 'either', nexts: [] as readonly Step[] });
      loop.nexts = [build(node, loop), next];
      step = loop;
    } else
      for (let time = min; time < max; time += 1) step = counted({ kind: 'either', nexts: [build(node, step), next] });
    for (let time = 0; time < min; time += 1) step = build(node, step);
    return step;
  };
  return { first: build(new Parser(pattern).parsed(), end), end };
}

/** The steps that can be taken now: those behind an `either` instead of it. */
function reached(steps: readonly Step[]): ReadonlySet<Step> {
  const seen = new Set<Step>();
  const waiting = [...steps];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    if (seen.has(step)) continue;
    seen.add(step);
    if (step.kind === 'either') waiting.push(...step.nexts);
  }
  return seen;
}

function contains({ ranges, isNegated }: Characters, code: number): boolean {
  return ranges.some(([from, to]) => from <= code && code <= to) !== isNegated;
}

const DIGITS: Characters['ranges'] = [[0x30, 0x39]];
const WORD: Characters['ranges'] = [...DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const BLANKS: Characters['ranges'] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const CLASSES: Readonly<Record<string, Characters['ranges']>> = { d: DIGITS, w: WORD, s: BLANKS };
const LINE_ENDS: Characters['ranges'] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** Characters that stand for themselves only after a backslash. */
const SPECIAL = '\\^$.*+?()[]{}|';
const REPEATED: Readonly<Record<string, readonly [number, number]>> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
};

class Parser {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    const inner = pattern.replace(/^\^/, '').replace(/(?<!\\)(\\\\)*\$$/, (end) => end.slice(0, -1));
    this.#characters = [...inner];
  }

  parsed(): Node {
    const node = this.#choice();
    if (this.#next !== undefined) throw new PatternError(`unexpected ${this.#next}`);
    return node;
  }

  get #next(): string | undefined {
    return this.#characters[this.#at];
  }

  #take(): string {
    const character = this.#next;
    if (character === undefined) throw new PatternError('it ends too early');
    this.#at += 1;
    return character;
  }

  #takes(character: string): boolean {
    if (this.#next !== character) return false;
    this.#at += 1;
    return true;
  }

  #choice(): Node {
    const nodes = [this.#sequence()];
    while (this.#takes('|')) nodes.push(this.#sequence());
    return { kind: 'choice', nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')') nodes.push(this.#repeated());
    return { kind: 'sequence', nodes };
  }

  #repeated(): Node {
    const node = this.#atom();
    const times = this.#times();
    if (times === undefined) return node;
    if (this.#next !== undefined && '*+?{'.includes(this.#next))
      throw new PatternError(`unexpected ${this.#next} after a repetition`);
    return { kind: 'repeated', node, min: times[0], max: times[1] };
  }

  #times(): readonly [number, number] | undefined {
    const one = REPEATED[this.#next ?? ''];
    if (one !== undefined) {
      this.#at += 1;
      return one;
    }
    if (!this.#takes('{')) return undefined;
    const min = this.#number();
    const max = this.#takes(',') ? (this.#next === '}' ? Number.POSITIVE_INFINITY : this.#number()) : min;
    if (!this.#takes('}') || max < min) throw new PatternError('expected a repetition such as {2,5}');
    return [min, max];
  }

  #number(): number {
    let digits = '';
    while (this.#next !== undefined && /[0-9]/.test(this.#next)) digits += this.#take();
    if (digits === '' || digits.length > 4) throw new PatternError('expected a repetition such as {2,5}');
    return Number(digits);
  }

  #atom(): Node {
    const character = this.#take();
    if (character === '(') return this.#group();
    if (character === '.') return { kind: 'one', characters: { ranges: LINE_ENDS, isNegated: true } };
    if (character === '[') return { kind: 'one', characters: this.#class() };
    if (character === '\\') return { kind: 'one', characters: this.#escaped() };
    if (SPECIAL.includes(character)) throw new PatternError(`unexpected ${character}`);
    return { kind: 'one', characters: single(character) };
  }

  #group(): Node {
    if (this.#takes('?') && !this.#takes(':'))
      throw new PatternError('expected a group (…) or (?:…); it can have no other beginning (?');
    const node = this.#choice();
    if (!this.#takes(')')) throw new PatternError('a group is not closed');
    return node;
  }

  #escaped(): Characters {
    const character = this.#take();
    const ranges = CLASSES[character.toLowerCase()];
    if (ranges !== undefined) return { ranges, isNegated: character !== character.toLowerCase() };
    if (character === 't') return single('\t');
    if (SPECIAL.includes(character) || character === '/' || character === '-') return single(character);
    throw new PatternError(`unknown \\${character}; allowed: \\d \\w \\s, \\t, and a backslash before ${SPECIAL}`);
  }

  #class(): Characters {
    const isNegated = this.#takes('^');
    const ranges: (readonly [number, number])[] = [];
    while (!this.#takes(']')) {
      const from = this.#inClass();
      if (from.isNegated) throw new PatternError('expected no \\D, \\W or \\S within brackets');
      const [one] = from.ranges;
      const isOne = from.ranges.length === 1 && one !== undefined && one[0] === one[1];
      if (!isOne || this.#next !== '-' || this.#characters[this.#at + 1] === ']') {
        ranges.push(...from.ranges);
        continue;
      }
      this.#at += 1;
      const [until] = this.#inClass().ranges;
      if (until === undefined || until[0] !== until[1] || until[0] < one[0])
        throw new PatternError('expected a range such as a-z');
      ranges.push([one[0], until[0]]);
    }
    return { ranges, isNegated };
  }

  #inClass(): Characters {
    const character = this.#take();
    if (character === '[') throw new PatternError('expected \\[ within brackets');
    return character === '\\' ? this.#escaped() : single(character);
  }
}

function single(character: string): Characters {
  const code = character.codePointAt(0) ?? 0;
  return { ranges: [[code, code]], isNegated: false };
}
