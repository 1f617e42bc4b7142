import { ApiError, type FieldProblem, fieldSentence, type InvalidFieldError } from '../contract/errors.ts';
import { firstOf } from '../contract/input/parse-object.ts';
import { LIMITS } from '../contract/limits.ts';
import type { Route } from '../contract/route.ts';

type Inputs = Pick<Route, 'query' | 'headers'>;

/** The answer to rejected fields: the first with its place in the request; several are listed in `details.faults`. */
export function invalidRequest({ problems }: InvalidFieldError, route: Inputs): ApiError {
  const sentences = problems.map((problem) => sentenceOf(problem, route));
  const details = sentences.length > 1 ? { faults: sentences.slice(0, LIMITS.faults) } : undefined;
  return ApiError.because('invalid_request', firstOf(sentences), details);
}

function sentenceOf({ fields, problem }: FieldProblem, route: Inputs): string {
  return fieldSentence({
    fields: fields.length === 0 ? ['body'] : fields.map((field) => placed(field, route)),
    problem,
  });
}

/** A field with its place. No route has a field of one name in two places. */
function placed(field: string, { query, headers }: Inputs): string {
  const [name = field] = field.split(/[.[]/);
  if (query !== undefined && name in query.shape) return `query.${field}`;
  return headers !== undefined && name in headers.shape ? `header.${field}` : `body.${field}`;
}
