import { Agent, request } from 'node:http';

/** A request as generated: everything that a client can get right or wrong. */
export interface Sent {
  readonly method: string;
  /** With the parameters of the path in place, encoded, and without the query. */
  readonly path: string;
  /** In order; a name may come twice. */
  readonly query?: readonly (readonly [string, string])[];
  readonly headers?: Readonly<Record<string, string>>;
  /** As text, so that it need not be JSON. */
  readonly body?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Milliseconds without a byte after which an answer counts as missing. */
const TIMEOUT_MS = 40_000;

// A kept connection may be closed by the service in the moment that it is used again, which would say nothing about the answer.
const agent = new Agent({ keepAlive: false });

/** Sends what `fetch` refuses to: bodies with any method, and whatever else a client may do. */
export async function send(baseUrl: string, { method, path, query = [], headers, body }: Sent): Promise<Received> {
  const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  return await new Promise((resolve, reject) => {
    const sent = request(
      `${baseUrl}${path}${search && `?${search}`}`,
      { method, agent, timeout: TIMEOUT_MS, headers: { ...headers, 'content-length': Buffer.byteLength(body ?? '') } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
        });
      },
    );
    sent.once('error', reject);
    sent.once('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered`)));
    sent.end(body);
  });
}

/** As a URL takes it; half of a surrogate pair can't be sent at all. */
export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
