import type * as z from 'zod';
import { issueSentence } from './issue-sentence.ts';

/** Validation errors by form field. */
export type FieldErrors<Name extends string> = Partial<Record<Name, string>>;

/** Validates a request body with the API's schema. Each error is a sentence for people. */
export function fieldErrors<Name extends string>(
  schema: z.ZodType,
  body: Readonly<Record<string, unknown>>,
): FieldErrors<Name> {
  const result = schema.safeParse(body);
  if (result.success) return {};
  const errors: Record<string, string> = {};
  for (const issue of result.error.issues) {
    const field = String(issue.path[0] ?? issue.code);
    errors[field] ??= issueSentence(issue, body);
  }
  return errors as FieldErrors<Name>;
}

/** Parses a number from a form field. Returns the text if it is not a number, so that the schema rejects the field. */
export function numberIn(text: string): number | string {
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
}
