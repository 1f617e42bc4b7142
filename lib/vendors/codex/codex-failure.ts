import * as z from 'zod';
import type { AgentFacts } from '../output/agent-output.ts';
import { parkedBy } from './codex-park.ts';

/** What codex's message about the end of its turn tells. */
export function failureOf(message: string): Pick<AgentFacts, 'error' | 'park'> {
  const park = parkedBy(message);
  return { error: readable(message), ...(park !== undefined && { park }) };
}

/** The bodies of errors from the vendor's servers. */
const vendorErrorSchema = z.union([
  z.object({ error: z.object({ message: z.string().min(1) }) }).transform(({ error }) => error.message),
  z.object({ detail: z.string().min(1) }).transform(({ detail }) => detail),
]);

/** codex passes some vendor errors on as raw JSON (a 400's, for example). Returns the sentence in it. */
function readable(message: string): string {
  const start = message.indexOf('{');
  const end = message.lastIndexOf('}') + 1;
  try {
    const sentence = vendorErrorSchema.parse(JSON.parse(message.slice(start, end)));
    return `${message.slice(0, start)}${sentence}${message.slice(end)}`;
  } catch {
    return message;
  }
}
