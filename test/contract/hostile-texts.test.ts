import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { needsRegistry } from '../../lib/access/authenticate.ts';
import { TOKEN_PATTERN } from '../../lib/access/tokens/api-tokens.ts';
import { AGENTS } from '../../lib/contract/agents.ts';
import { harmless } from '../../lib/contract/input/harmless.ts';
import { parseObject } from '../../lib/contract/input/parse-object.ts';
import { routes } from '../../lib/contract/routes/routes.ts';
import { configDocument } from '../../lib/contract/schemas/config.ts';
import { followUpCreation } from '../../lib/contract/schemas/jobs/job-creation.ts';
import { readFollowUpBlocks } from '../../lib/jobs/creation/collect-follow-ups.ts';
import { searchWords } from '../../lib/jobs/store/search-words.ts';
import { AGENT_OUTPUTS } from '../../lib/vendors/outputs.ts';
import { lineChanges } from '../../lib/vendors/timeline/line-changes.ts';
import { readDevicePrompt, readLoginFailure } from '../../worker-container/account/login-cli.ts';
import { askHuman } from '../../worker-container/tools/ask-human.ts';
import { attachFile } from '../../worker-container/tools/attach-file.ts';
import { createJobTool, jobStatusTool, reportProgress } from '../../worker-container/tools/attempt-tools.ts';
import { countedWork } from './counted-work.ts';

/** Runs with which patterns, normalization and loops do most, each of about `length` characters. */
const RUNS: readonly ((length: number) => string)[] = [
  (length) => `a${'\u0301'.repeat(length / 2)}${'\u0316'.repeat(length / 2)}`,
  (length) => `a${'\u0316\u0301'.repeat(length / 2)}`,
  (length) => `${' '.repeat(length)}x`,
  (length) => `${'\n'.repeat(length)}x`,
  (length) => `${'`'.repeat(length)}x`,
  (length) => '```\n'.repeat(length / 4),
  (length) => '> '.repeat(length / 2),
  (length) => '['.repeat(length),
  (length) => '{"a":'.repeat(length / 5),
  (length) => '"'.repeat(length),
  (length) => 'a@'.repeat(length / 2),
  (length) => '\u001b[0;'.repeat(length / 4),
  (length) => '\ufffd'.repeat(length),
];
/** All of them in one text. */
const worst = (length: number) => RUNS.map((run) => run(Math.floor(length / RUNS.length))).join('x');
const WORST = worst(1024 * 1024);

/** Most marks in long rows that one input may have normalized: some names of the longest kind. */
const NORMALIZED = 16 * 1024;
/** How often the characters of one text are walked at most. */
const WALKS = 30;

function expectBoundedWork(name: string, run: (text: string) => unknown): void {
  const { walked, normalized } = countedWork(() => run(WORST));
  expect([name, walked <= WALKS * WORST.length, normalized <= NORMALIZED]).toEqual([name, true, true]);
}

/** Makes a value of a schema in which one leaf is the given text. */
type Planted = (text: string) => unknown;

/** The places of a schema where a client can put a text, whatever the schema wants there. */
function places(schema: z.core.$ZodType): readonly (readonly [string, Planted])[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const within = (name: string, inner: z.core.$ZodType, place: (value: unknown) => unknown) =>
    places(inner).map(([path, planted]) => [`${name}${path}`, (text: string) => place(planted(text))] as const);
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([name, member]) =>
        within(`.${name}`, member, (value) => ({ [name]: value })),
      );
    case 'array':
      return within('[0]', def.element, (value) => [value]);
    case 'record':
      return [['{}', (text) => ({ [text]: 'a' })] as const, ...within('.a', def.valueType, (value) => ({ A: value }))];
    case 'union':
      return def.options.flatMap((option) => places(option));
    case 'pipe':
      return places(def.in._zod.def.type === 'transform' ? def.out : def.in);
    case 'optional':
    case 'nullable':
    case 'default':
    case 'catch':
      return places(def.innerType);
    default:
      return [['', (text) => text]];
  }
}

/** Several routes share one. */
const schemas = new Map<z.ZodObject, string>([
  [followUpCreation, 'a follow-up block'],
  [configDocument, 'a configuration'],
]);
for (const route of routes)
  for (const part of ['params', 'query', 'headers', 'body'] as const) {
    const schema: z.ZodObject | undefined = route[part];
    if (schema !== undefined) schemas.set(schema, `${route.id} ${part}`);
  }
const tools = [
  attachFile({} as never),
  reportProgress(() => {}, {} as never),
  createJobTool({} as never, {} as never),
  jobStatusTool({} as never, {} as never),
  askHuman({} as never, { redaction: {}, watch: {} } as never),
];

describe('a text of 1 MiB is refused, or read walked a few times and hardly normalized', () => {
  it('in each field of each route, of follow-up blocks and of a configuration', () => {
    for (const [schema, name] of schemas)
      for (const [path, planted] of [...places(schema), ['', (text: string) => ({ [text]: 1 })] as const])
        expectBoundedWork(`${name}${path}`, (text) =>
          parseObject(schema, 'body', planted(text) as Record<string, unknown>),
        );
  });

  it('in each argument of the tools in a job', () => {
    for (const { name, input } of tools)
      for (const [path, planted] of places(input))
        expectBoundedWork(`${name}${path}`, (text) => input.safeParse(planted(text)));
  });

  it('as output of each agent, plain or in its events, and in what is read of them', () => {
    const events: readonly ((text: string) => object)[] = [
      (text) => ({ type: 'item.completed', item: { type: 'agent_message', id: 'a', text } }),
      (text) => ({ type: 'turn.failed', error: { message: text } }),
      (text) => ({ type: 'thread.started', thread_id: text }),
      (text) => ({ id: 'turn', error: { message: text } }),
      (text) => ({ type: 'system', subtype: 'init', session_id: text, model: text }),
      (text) => ({
        type: 'assistant',
        parent_tool_use_id: null,
        message: { content: [{ type: 'text', text }] },
      }),
      (text) => ({ type: 'result', subtype: 'error', is_error: true, result: text, modelUsage: {} }),
      (text) => ({ method: 'item/completed', params: { item: { type: 'agentMessage', id: 'a', text } } }),
    ];
    const lines: readonly Planted[] = [
      (text) => text,
      ...events.map((event) => (text: string) => JSON.stringify(event(text))),
    ];
    for (const agent of AGENTS)
      for (const [at, line] of lines.entries())
        expectBoundedWork(`${agent} ${at}`, (text) => {
          const stdout = Buffer.from(`${line(text)}\n`);
          const blocks = readFollowUpBlocks(() => {});
          const reader = AGENT_OUTPUTS[agent].createReader(blocks);
          for (let from = 0; from < stdout.length; from += 65_536) reader.push(stdout.subarray(from, from + 65_536));
          reader.end();
          AGENT_OUTPUTS[agent].conclude(reader.facts(), { exitCode: 1, signal: null, stderrTail: text.slice(-65_536) });
          AGENT_OUTPUTS[agent].createMeter?.().push(stdout, 'own');
        });
    for (const [at, line] of lines.entries())
      expectBoundedWork(`timeline ${at}`, (text) => lineChanges(String(line(text)), () => undefined));
  });

  it('as a credential, a search, what a vendor prints at a login, and text for a terminal', () => {
    const event = (headers: Record<string, string>) => ({ path: '/', headers }) as never;
    const sessionCookie = 'promptq';
    expect(TOKEN_PATTERN.test(WORST)).toBe(false);
    for (const name of ['authorization', 'x-api-token', 'cookie', 'x-perimeter-token'])
      expectBoundedWork(name, (text) => needsRegistry(event({ [name]: text }), { sessionCookie }));
    expectBoundedWork('search', searchWords);
    expectBoundedWork('device prompt', readDevicePrompt);
    expectBoundedWork('login', (text) => readLoginFailure(text, undefined));
    expectBoundedWork('terminal', harmless);
  });
});
