import {
  type ParameterValue,
  type ParameterValues,
  textOfValue,
  valueOfText,
} from '../../../../lib/contract/templates/parameter-values.ts';
import { validationErrorsOf } from '../../api/api-error.ts';
import type { FieldErrors } from '../../form/field-errors.ts';
import { fieldErrorOf } from '../../form/issue-sentence.ts';
import type { TemplateParameter } from '../template-queries.ts';

/** Values as typed, by the names of their parameters. An empty one is not given. */
export type TypedValues = Readonly<Record<string, string>>;

/** The values of a job as the form has them. */
export function typedValues(values: ParameterValues): TypedValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOfValue(value)]));
}

/** The values as sent. The service checks them, because it also knows those of the project. */
export function givenValues(
  parameters: readonly TemplateParameter[],
  typed: TypedValues,
): Record<string, ParameterValue> {
  return Object.fromEntries(
    parameters.flatMap((parameter) => {
      const text = typed[parameter.name] ?? '';
      return text === '' ? [] : [[parameter.name, valueOfText(parameter, text)]];
    }),
  );
}

/** The errors of a response, of parameters as `parameters.NAME` and of other fields by their names. */
export function runErrors(error: Error): FieldErrors<string> {
  const found = validationErrorsOf(error).flatMap((sentence) => {
    const name = /^body\.parameters\.([a-z0-9_]+)/.exec(sentence)?.[1];
    const field = fieldErrorOf(sentence);
    if (field === undefined) return [];
    return [[name === undefined ? field.field : `parameters.${name}`, field.sentence] as const];
  });
  return Object.fromEntries(found);
}
