import { ExpressionTokens } from './expression-tokens.ts';
import { type Item, isMap, operand, type Placeholders, pathOf, valueAt } from './expressions.ts';

/** Changes `after`, a copy of the item whose inner maps are those of `before`. */
type Change = (before: Item, after: Draft, holders: Placeholders) => void;
type Draft = Record<string, unknown>;

const updates = new Map<string, Change>();

/** The item as an update expression makes it; every right side is read from the item as it was. */
export function updated(text: string, before: Item, holders: Placeholders): Item {
  let change = updates.get(text);
  if (change === undefined) {
    change = parse(new ExpressionTokens(text));
    updates.set(text, change);
  }
  const after: Draft = { ...before };
  change(before, after, holders);
  return after;
}

function parse(tokens: ExpressionTokens): Change {
  const changes: Change[] = [];
  while (!tokens.isAtEnd) {
    const clause = CLAUSES[tokens.take().toUpperCase()];
    if (clause === undefined) throw tokens.notUnderstood();
    do changes.push(clause(tokens));
    while (tokens.takes(','));
  }
  return (before, after, holders) => {
    for (const change of changes) change(before, after, holders);
  };
}

const CLAUSES: Readonly<Record<string, (tokens: ExpressionTokens) => Change>> = { SET: set, REMOVE: remove, ADD: add };

function set(tokens: ExpressionTokens): Change {
  const path = pathOf(tokens);
  tokens.expect('=');
  const first = operand(tokens);
  const sign = tokens.sees('+') || tokens.sees('-') ? tokens.take() : undefined;
  const second = sign === undefined ? undefined : operand(tokens);
  return (before, after, holders) => {
    const value = first(before, holders);
    if (second === undefined) return put(after, path(holders), value);
    const by = numeric(second(before, holders));
    put(after, path(holders), numeric(value) + (sign === '-' ? -by : by));
  };
}

function remove(tokens: ExpressionTokens): Change {
  const path = pathOf(tokens);
  return (_before, after, holders) => put(after, path(holders), undefined);
}

function add(tokens: ExpressionTokens): Change {
  const path = pathOf(tokens);
  const by = operand(tokens);
  return (before, after, holders) =>
    put(after, path(holders), numeric(valueAt(before, path(holders)) ?? 0) + numeric(by(before, holders)));
}

function numeric(value: unknown): number {
  if (typeof value !== 'number') throw invalid('An operand in the update expression has an incorrect data type');
  return value;
}

/** Puts a value at a path of the item, or removes what is there; maps on the way are copied. */
function put(item: Draft, path: readonly string[], value: unknown): void {
  const [first = '', ...further] = path;
  if (further.length > 0) {
    const inner = item[first];
    if (!isMap(inner)) throw invalid('The document path provided in the update expression is invalid for update');
    const copy = { ...inner };
    put(copy, further, value);
    item[first] = copy;
  } else if (value === undefined) delete item[first];
  else item[first] = value;
}

function invalid(message: string): Error {
  return Object.assign(new Error(message), { name: 'ValidationException' });
}
