import type * as z from 'zod';
import { issueSentence } from './issue-sentence.ts';

/** What is wrong with which field of a form. */
export type FieldFaults<Name extends string> = Partial<Record<Name, string>>;

/** Judges what would be sent by the API's own schema; each fault in words for people. */
export function fieldFaults<Name extends string>(
  schema: z.ZodType,
  body: Readonly<Record<string, unknown>>,
): FieldFaults<Name> {
  const result = schema.safeParse(body);
  if (result.success) return {};
  const faults: Record<string, string> = {};
  for (const issue of result.error.issues) {
    const field = String(issue.path[0] ?? issue.code);
    faults[field] ??= issueSentence(issue, body);
  }
  return faults as FieldFaults<Name>;
}

/** What a form holds of a number: the number where it is one, else the text, which the schema then refuses by name. */
export function numberIn(text: string): number | string {
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
}
