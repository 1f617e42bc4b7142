import { brokenObjects, brokenValues } from './broken-values.ts';
import { compile, type Operation } from './operations.ts';
import type { Preparation } from './preparations.ts';
import type { Sent } from './send.ts';

interface BrokenRequest extends Partial<Sent> {
  readonly what: string;
}

/** Each violates the description of the query in one place. */
export function brokenQueries(operation: Operation): BrokenRequest[] {
  const own = operation.parameters.filter((parameter) => parameter.in === 'query');
  const judged = own.flatMap(({ name, schema }) => {
    const judge = compile(schema);
    const isText = schema.type === 'string';
    return (
      brokenValues(schema, name)
        .map(({ what, value }) => ({ what, value: isText ? String(value) : (JSON.stringify(value) ?? '') }))
        // What is no text in JSON is some text in a query.
        .filter(({ value }) => !isText || !judge.safeParse(value).success)
        .map(({ what, value }) => ({ what: `query ${what}`, query: [[name, value]] as const }))
    );
  });
  const twice = own.slice(0, 1).map(({ name }) => ({
    what: `${name} is given twice`,
    query: [
      [name, '1'],
      [name, '1'],
    ] as const,
  }));
  return [...judged, ...twice, { what: 'an unknown query parameter', query: [['no-such-parameter', '1']] }];
}

/** One text that is no JSON, and one that is no object. */
const UNREADABLE = ['{', '[]'];
/** All operations read a body by one function. Those with more are a tool call, and two that would accept `{}` instead. */
const MORE_UNREADABLE = ['null', '"x"', '7', '{"a":1} x', '\u0000'];
const WITH_MORE = ['retryJobs', 'editProjects', 'callMcp'];

/** Each violates the description of the body in one place. */
export function brokenBodies({ id, body }: Operation, { body: valid = {} }: Preparation): BrokenRequest[] {
  if (body === undefined) return [];
  const more = WITH_MORE.includes(id) ? MORE_UNREADABLE : [];
  const texts = [...UNREADABLE, ...more, ...(body.required ? [''] : [])];
  return [
    ...texts.map((text) => ({ what: `the body is ${JSON.stringify(text)}`, body: text })),
    ...brokenObjects(body.schema, valid, 'body').map(({ what, value }) => ({ what, body: JSON.stringify(value) })),
  ];
}
