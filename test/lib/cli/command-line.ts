import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { afterAll, afterEach, vi } from 'vitest';
import type { Context } from '../../../lib/cli/base/context.ts';
import type { StopSignal } from '../../../lib/cli/base/exit-codes.ts';
import { Terminal } from '../../../lib/cli/base/terminal.ts';
import { COMMANDS } from '../../../lib/cli/command-table.ts';
import { main } from '../../../lib/cli/main.ts';
import { collectedOutput } from '../../local-run/collected-output.ts';

interface Received {
  readonly request: Request;
  /** Aborted when the client ends the request. */
  readonly signal: AbortSignal;
  /** Asks the command to end. */
  readonly stop: (signal: StopSignal) => void;
}

/** JSON, or what makes a response. */
type Answer = object | ((received: Received) => Response | Promise<Response>);

/** The answers by request, such as `GET /jobs/j?full=1`; of several, each request takes the next one, the last again. */
export type Answers = Readonly<Record<string, Answer | readonly Answer[]>>;

interface Given {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Context['stdin'];
  /** Called after a line of progress has been written. */
  readonly onNote?: () => void;
  /** Whether stderr is a terminal. */
  readonly isTerminal?: boolean;
}

class NotingTerminal extends Terminal {
  readonly #onNote: (() => void) | undefined;

  constructor(out: Writable, err: Writable, onNote: (() => void) | undefined) {
    super(out, err);
    this.#onNote = onNote;
  }

  override async note(text: string): Promise<void> {
    await super.note(text);
    this.#onNote?.();
  }
}

/** A folder that is removed at the end of the test file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'promptq-cli-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An error of the service. */
export function refused(status: number, error: string, headers: Record<string, string> = {}): () => Response {
  return () => Response.json({ error }, { status, headers });
}

/** Runs command lines in this process, against a service that has only these answers. Call it once in a test file. */
export function commandLine() {
  const home = temporaryFolder();
  afterEach(() => {
    vi.unstubAllGlobals();
  });
  return async (
    args: readonly string[],
    answers: Answers = {},
    { env = {}, stdin = '', onNote, isTerminal = false }: Given = {},
  ) => {
    const handlers = new Set<(signal: StopSignal) => void>();
    const requests: string[] = [];
    const stop = (signal: StopSignal) => {
      for (const handler of [...handlers]) handler(signal);
    };
    vi.stubGlobal('fetch', async (request: Request, { signal }: { signal: AbortSignal }) => {
      signal.throwIfAborted();
      const { pathname, search } = new URL(request.url);
      const line = `${request.method} ${pathname.replace('/api/v1', '')}${search}`;
      const body = await request.clone().text();
      const nth = requests.filter((earlier) => earlier.split(' {')[0] === line).length;
      requests.push(body === '' ? line : `${line} ${body}`);
      const found = answers[line] ?? refused(404, `no answer to ${line}`);
      const answer = Array.isArray(found) ? (found[nth] ?? found.at(-1)) : found;
      return typeof answer === 'function' ? await answer({ request, signal, stop }) : Response.json(answer);
    });
    const [out, err] = [collectedOutput(), collectedOutput()];
    const code = await main(
      {
        env: {
          XDG_CONFIG_HOME: home,
          PROMPTQ_URL: 'http://127.0.0.1',
          PROMPTQ_TOKEN: 'token',
          PROMPTQ_RETRY_SECONDS: '0',
          ...env,
        },
        version: '1.2.3',
        commands: COMMANDS,
        stdin: typeof stdin === 'string' ? Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]) : stdin,
        terminal: new NotingTerminal(out.stream, Object.assign(err.stream, { isTTY: isTerminal }), onNote),
        onInterrupt: () => () => undefined,
        onStop: (handler) => {
          handlers.add(handler);
          return () => handlers.delete(handler);
        },
      },
      args,
    );
    return { code, stdout: out.collected(), stderr: err.collected(), requests };
  };
}
