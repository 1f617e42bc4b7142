/** What a service answered; or why it did not, in words that hold neither its address nor what was sent. */
export type ServiceAnswer =
  | {
      readonly status: number;
      readonly headers: Headers;
      /** The first 64 KB, as text. */
      readonly text: string;
      readonly retryAfterSeconds: number | undefined;
    }
  | { readonly failed: string };

/** Until an answer has arrived. */
const SECONDS = 10;
const MOST_CHARACTERS = 64 * 1024;

/**
 * Posts to a messenger or mail service. The address counts as a secret: some hold the right to post in their path, and
 * errors of `fetch` name it. Redirects are not followed. Never rejects.
 */
export async function callService(
  url: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  { seconds = SECONDS, ended }: { readonly seconds?: number; readonly ended?: AbortSignal } = {},
): Promise<ServiceAnswer> {
  const signal = AbortSignal.any([AbortSignal.timeout(seconds * 1000), ...(ended === undefined ? [] : [ended])]);
  try {
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    const text = await readText(answer);
    const after = Number(answer.headers.get('retry-after') ?? Number.NaN);
    const retryAfterSeconds = Number.isFinite(after) && after >= 0 ? Math.ceil(after) : undefined;
    return { status: answer.status, headers: answer.headers, text, retryAfterSeconds };
  } catch (error) {
    return { failed: reasonOf(error, seconds) };
  }
}

async function readText({ body }: Response): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    // Leaving the loop ends the transfer.
    if (text.length >= MOST_CHARACTERS) break;
  }
  return text.slice(0, MOST_CHARACTERS);
}

/** Codes such as ECONNREFUSED name no address; messages may. */
function reasonOf(error: unknown, seconds: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `There was no answer within ${seconds} seconds.`;
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  const code = typeof cause?.code === 'string' && /^[A-Z_]{1,40}$/.test(cause.code) ? ` (${cause.code})` : '';
  return `The connection failed${code}.`;
}
