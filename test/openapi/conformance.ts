import type { Operation } from './operations.ts';
import type { Received, Sent } from './send.ts';

/** Compares answers with what an OpenAPI document declares, and remembers which of it was seen. */
export class Conformance {
  readonly #seen = new Map<string, Set<number>>();

  /** @throws Error with request and answer, if the operation does not declare this answer. */
  judge(operation: Operation, sent: Sent, received: Received): void {
    const fault = faultOf(operation, received);
    if (fault !== undefined) throw new Error(`${fault}\n${describe(sent, received)}`);
    const seen = this.#seen.get(operation.id) ?? new Set();
    this.#seen.set(operation.id, seen.add(received.status));
  }

  /** Declared statuses below 500 of an operation that no answer has had. */
  unseen(operation: Operation): number[] {
    const seen = this.#seen.get(operation.id);
    return [...operation.answers.keys()].filter((status) => status < 500 && !seen?.has(status));
  }
}

/** @returns what the answer has that was not declared. */
function faultOf({ answers }: Operation, { status, headers, text }: Received): string | undefined {
  if (status >= 500) return `the answer is ${status}`;
  const media = answers.get(status);
  if (media === undefined) return `the answer is ${status}; declared are ${[...answers.keys()].join(', ')}`;
  if (!headers['x-request-id']) return 'the answer has no x-request-id';
  if (media.size === 0) return text === '' ? undefined : 'the answer has a body; none is declared';
  const type = String(headers['content-type']).split(';')[0] ?? '';
  const schema = media.get(type);
  if (schema === undefined) return `the answer is ${type}; declared are ${[...media.keys()].join(', ')}`;
  const result = schema.safeParse(type === 'application/json' ? parsed(text) : text);
  return result.success ? undefined : `the answer is not as declared: ${result.error.message}`;
}

/** The parts of request and response that help to find a fault. */
export function describe({ method, path, query, headers, body }: Sent, { status, text }: Received): string {
  const shown = (value: string | undefined) =>
    value !== undefined && value.length > 600 ? `${value.slice(0, 600)}…` : value;
  const { authorization: _secret, ...others } = headers ?? {};
  return [
    `${method} ${path} ${JSON.stringify(query ?? [])} ${JSON.stringify(others)}`,
    `body: ${shown(body)}`,
    `answer: ${status} ${shown(text)}`,
  ].join('\n');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
