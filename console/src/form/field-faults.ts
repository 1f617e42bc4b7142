import type * as z from 'zod';
import { faultSentence } from '../../../lib/contract/input-fault.ts';

/** What is wrong with which field of a form. */
export type FieldFaults<Name extends string> = Partial<Record<Name, string>>;

/** Judges what would be sent by the API's own schema; each fault in the API's words. */
export function fieldFaults<Name extends string>(
  schema: z.ZodObject,
  body: Readonly<Record<string, unknown>>,
): FieldFaults<Name> {
  const result = schema.safeParse(body);
  if (result.success) return {};
  const faults: Record<string, string> = {};
  for (const issue of result.error.issues) {
    const field = String(issue.path[0] ?? issue.code);
    faults[field] ??= faultSentence('', issue, body).replace(/^\.[^:]*: /, '');
  }
  return faults as FieldFaults<Name>;
}

/** The field that a refusal of the API names, if it names one: its sentences begin with the place. */
export function refusedField(message: string): string | undefined {
  return /^body\.(\w+)/.exec(message)?.[1];
}

/** What a form holds of a number: the number where it is one, else the text, which the schema then refuses by name. */
export function numberIn(text: string): number | string {
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
}
