import * as z from 'zod';

/** The bodies that vendors send as errors. */
const bodySchema = z.union([
  z.object({ error: z.object({ message: z.string().min(1) }) }).transform(({ error }) => error.message),
  z.object({ message: z.string().min(1) }).transform(({ message }) => message),
  z.object({ detail: z.string().min(1) }).transform(({ detail }) => detail),
]);

/** Returns an agent's error with the sentence of a vendor's JSON body in place of the body. */
export function errorWords(message: string): string {
  const start = message.indexOf('{');
  const end = message.lastIndexOf('}') + 1;
  try {
    const sentence = bodySchema.parse(JSON.parse(message.slice(start, end)));
    return `${message.slice(0, start)}${sentence}${message.slice(end)}`;
  } catch {
    return message;
  }
}
