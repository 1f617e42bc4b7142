import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { FunctionHandler } from '../../lib/local/gateway/gateway-invocation.ts';

/** What one start of a function took, in milliseconds of the process's CPU time since the process began. */
export interface Start {
  /** Until its module was loaded. */
  readonly loaded: number;
  /** Until it had answered its first call. */
  readonly answered: number;
  /** Mean of the calls after that. */
  readonly warm: number;
  /** Their median time, by the clock. */
  readonly time: number;
  /** Of the first call. */
  readonly status: number;
}

/**
 * Starts one function as Lambda does, in a separate process: `node one-start.cjs INDEX.JS EVENT`. Prints a `Start` as
 * JSON.
 */
const [file = '', event = '{}'] = process.argv.slice(2);
const since = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
/** Calls until the code is compiled well, and calls that are measured after them. */
const IGNORED = 100;
const COUNTED = 100;

const body = new PassThrough();
let head: { statusCode?: number } = {};
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: object) => Object.assign(handler, { streams: true }),
    HttpResponseStream: {
      from: (stream: PassThrough, given: typeof head) => {
        head = given;
        return stream;
      },
    },
  },
});
const { handler } = require(file) as { handler: FunctionHandler & { streams?: boolean } };
const loaded = since();
const context = { awsRequestId: 'start', getRemainingTimeInMillis: () => 30_000 };
const streamed = handler.streams === true ? text(body) : undefined;

void (async () => {
  const answer = (await handler(JSON.parse(event), ...(streamed ? [body] : []), context)) as typeof head | undefined;
  await streamed;
  const answered = since();
  const status = answer?.statusCode ?? head.statusCode ?? 0;
  let before = answered;
  const times: number[] = [];
  for (let call = 0; call < IGNORED + COUNTED; call += 1) {
    if (call === IGNORED) before = since();
    const begun = performance.now();
    await handler(JSON.parse(event), ...(streamed ? [new PassThrough().resume()] : []), context);
    times.push(performance.now() - begun);
  }
  const warm = (since() - before) / COUNTED;
  const time = times.slice(IGNORED).sort((a, b) => a - b)[COUNTED / 2] ?? 0;
  const start: Start = { loaded, answered, warm, time, status };
  process.stdout.write(JSON.stringify(start), () => process.exit());
})();
