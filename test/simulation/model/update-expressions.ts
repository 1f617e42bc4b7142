import { ExpressionTokens } from './expression-tokens.ts';
import { type Item, isMap, operand, type Placeholders, pathOf, valueAt } from './expressions.ts';

type Change = (before: Item, after: Item, holders: Placeholders) => Item;

const updates = new Map<string, Change>();

/** The item as an update expression makes it; every right side is read from the item as it was. */
export function updated(text: string, before: Item, holders: Placeholders): Item {
  let change = updates.get(text);
  if (change === undefined) {
    change = parse(new ExpressionTokens(text));
    updates.set(text, change);
  }
  return change(before, before, holders);
}

function parse(tokens: ExpressionTokens): Change {
  const changes: Change[] = [];
  while (!tokens.isAtEnd) {
    const clause = CLAUSES[tokens.take().toUpperCase()];
    if (clause === undefined) throw tokens.notUnderstood();
    do changes.push(clause(tokens));
    while (tokens.takes(','));
  }
  return (before, item, holders) => changes.reduce((after, change) => change(before, after, holders), item);
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
    if (second === undefined) return withValue(after, path(holders), value);
    const by = numeric(second(before, holders));
    return withValue(after, path(holders), numeric(value) + (sign === '-' ? -by : by));
  };
}

function remove(tokens: ExpressionTokens): Change {
  const path = pathOf(tokens);
  return (_before, after, holders) => withValue(after, path(holders), undefined);
}

function add(tokens: ExpressionTokens): Change {
  const path = pathOf(tokens);
  const by = operand(tokens);
  return (before, after, holders) =>
    withValue(after, path(holders), numeric(valueAt(before, path(holders)) ?? 0) + numeric(by(before, holders)));
}

function numeric(value: unknown): number {
  if (typeof value !== 'number') throw invalid('An operand in the update expression has an incorrect data type');
  return value;
}

/** The item with another value at a path, or with none; the item itself is left as it is. */
function withValue(item: Item, path: readonly string[], value: unknown): Item {
  const [first = '', ...further] = path;
  if (further.length > 0) {
    const inner = item[first];
    if (!isMap(inner)) throw invalid('The document path provided in the update expression is invalid for update');
    return { ...item, [first]: withValue(inner, further, value) };
  }
  if (value !== undefined) return { ...item, [first]: value };
  const { [first]: _removed, ...rest } = item;
  return rest;
}

function invalid(message: string): Error {
  return Object.assign(new Error(message), { name: 'ValidationException' });
}
