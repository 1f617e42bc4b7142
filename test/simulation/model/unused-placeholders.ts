import type { Placeholders } from './expressions.ts';

/** The expressions of a command that may use its placeholders. */
interface Expressions extends Placeholders {
  readonly KeyConditionExpression?: string | undefined;
  readonly ConditionExpression?: string | undefined;
  readonly UpdateExpression?: string | undefined;
  readonly ProjectionExpression?: string | undefined;
}

const PLACEHOLDER = /[#:]\w+/g;
/** The placeholders of each text, of which there are few. */
const used = new Map<string, ReadonlySet<string>>();

/** DynamoDB refuses a name or a value that no expression uses. @throws ValidationException */
export function refuseUnusedPlaceholders(input: Expressions): void {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = input;
  const texts = [
    input.KeyConditionExpression,
    input.ConditionExpression,
    input.UpdateExpression,
    input.ProjectionExpression,
  ];
  const known = placeholdersOf(texts.join(' '));
  const unused = [...Object.keys(names), ...Object.keys(values)].filter((placeholder) => !known.has(placeholder));
  if (unused.length === 0) return;
  throw Object.assign(new Error(`unused in expressions: keys: {${unused.join(', ')}}`), {
    name: 'ValidationException',
  });
}

function placeholdersOf(text: string): ReadonlySet<string> {
  const known = used.get(text) ?? new Set(text.match(PLACEHOLDER));
  used.set(text, known);
  return known;
}
