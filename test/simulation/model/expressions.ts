import { ExpressionTokens } from './expression-tokens.ts';

export type Item = Readonly<Record<string, unknown>>;

/** What stands for names and values in an expression. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>> | undefined;
}

type Condition = (item: Item, holders: Placeholders) => boolean;
type Operand = (item: Item, holders: Placeholders) => unknown;
type Path = (holders: Placeholders) => readonly string[];

const conditions = new Map<string, Condition>();

/** Judges a condition expression; refuses what it does not understand. */
export function conditionHolds(text: string, item: Item, holders: Placeholders): boolean {
  let condition = conditions.get(text);
  if (condition === undefined) {
    const tokens = new ExpressionTokens(text);
    condition = disjunction(tokens);
    if (!tokens.isAtEnd) throw tokens.notUnderstood();
    conditions.set(text, condition);
  }
  return condition(item, holders);
}

function disjunction(tokens: ExpressionTokens): Condition {
  const first = conjunction(tokens);
  if (!tokens.takes('OR')) return first;
  const rest = disjunction(tokens);
  return (item, holders) => first(item, holders) || rest(item, holders);
}

function conjunction(tokens: ExpressionTokens): Condition {
  const first = negation(tokens);
  if (!tokens.takes('AND')) return first;
  const rest = conjunction(tokens);
  return (item, holders) => first(item, holders) && rest(item, holders);
}

function negation(tokens: ExpressionTokens): Condition {
  if (tokens.takes('NOT')) {
    const negated = negation(tokens);
    return (item, holders) => !negated(item, holders);
  }
  if (tokens.takes('(')) {
    const inner = disjunction(tokens);
    tokens.expect(')');
    return inner;
  }
  return presence(tokens) ?? comparison(tokens);
}

function presence(tokens: ExpressionTokens): Condition | undefined {
  const isWanted = tokens.sees('attribute_exists');
  if (!isWanted && !tokens.sees('attribute_not_exists')) return undefined;
  tokens.take();
  tokens.expect('(');
  const path = pathOf(tokens);
  tokens.expect(')');
  return (item, holders) => (valueAt(item, path(holders)) !== undefined) === isWanted;
}

function comparison(tokens: ExpressionTokens): Condition {
  const left = operand(tokens);
  if (tokens.takes('IN')) {
    tokens.expect('(');
    const list = [operand(tokens)];
    while (tokens.takes(',')) list.push(operand(tokens));
    tokens.expect(')');
    return (item, holders) => list.some((each) => equal(left(item, holders), each(item, holders)));
  }
  const sign = tokens.take();
  const right = operand(tokens);
  const judge = COMPARISONS[sign];
  if (judge === undefined) throw tokens.notUnderstood();
  return (item, holders) => judge(left(item, holders), right(item, holders));
}

const COMPARISONS: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  '=': equal,
  '<>': (a, b) => !equal(a, b),
  '<': (a, b) => ordered(a, b, (sign) => sign < 0),
  '<=': (a, b) => ordered(a, b, (sign) => sign <= 0),
  '>': (a, b) => ordered(a, b, (sign) => sign > 0),
  '>=': (a, b) => ordered(a, b, (sign) => sign >= 0),
};

function equal(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

/** Values of different types, and absent ones, are in no order. */
function ordered(a: unknown, b: unknown, judge: (sign: number) => boolean): boolean {
  if (typeof a === 'number' && typeof b === 'number') return judge(a - b);
  if (typeof a === 'string' && typeof b === 'string') return judge(a < b ? -1 : a > b ? 1 : 0);
  return false;
}

/** A path or a value. */
export function operand(tokens: ExpressionTokens): Operand {
  if (tokens.sees('if_not_exists')) {
    tokens.take();
    tokens.expect('(');
    const path = pathOf(tokens);
    tokens.expect(',');
    const otherwise = operand(tokens);
    tokens.expect(')');
    return (item, holders) => valueAt(item, path(holders)) ?? otherwise(item, holders);
  }
  const path = pathOf(tokens, true);
  return (item, holders) => {
    const [first = '', ...further] = path(holders);
    if (!first.startsWith(':')) return valueAt(item, [first, ...further]);
    const value = holders.ExpressionAttributeValues?.[first];
    if (value === undefined) throw new Error(`the model has no value for ${first}`);
    return value;
  };
}

/** A path such as `checkpoints.#shard`. */
export function pathOf(tokens: ExpressionTokens, mayBeValue = false): Path {
  const parts = [tokens.take()];
  while (tokens.takes('.')) parts.push(tokens.take());
  if (parts.some((part) => !/^[#A-Za-z_:]/.test(part) || (part.startsWith(':') && !mayBeValue)))
    throw tokens.notUnderstood();
  return ({ ExpressionAttributeNames: names }) =>
    parts.map((part) => {
      if (!part.startsWith('#')) return part;
      const name = names?.[part];
      if (name === undefined) throw new Error(`the model has no name for ${part}`);
      return name;
    });
}

export function valueAt(item: Item, path: readonly string[]): unknown {
  let value: unknown = item;
  for (const part of path) {
    if (!isMap(value)) return undefined;
    value = value[part];
  }
  return value;
}

export function isMap(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
