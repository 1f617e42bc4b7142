import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
import type { Promptq } from '../client/promptq.ts';
import { ANSWER_LENGTH, type Answer, fits, toolResult } from './answers.ts';
import { answerIn, canAsk, inputNeeded, jobIdIn } from './asking.ts';
import { TOOL_CONTRACTS } from './tool-contracts.ts';
import {
  CALL_SECONDS,
  ENDING_SECONDS,
  TOOLS,
  type ToolName,
  type ToolSpec,
  WAIT_SECONDS,
  type Wire,
} from './tool-table.ts';
import { TOOL_CALLS } from './tools.ts';

const INSTRUCTIONS = [
  'Promptq runs jobs of coding agents in the background.',
  'Use run_job for a task of less than a minute.',
  'Delegate a longer task with create_job, call wait_for_job until the job has ended, then read its answer with job_result.',
  'If your team has a template for the work (list_templates), use run_template.',
  'If a job waits for an answer, read its question with list_questions, ask your user, and call answer_question.',
  'Use continue_job to give the agent of an ended job another task in the same conversation and folder.',
].join(' ');

/** It interprets schemas. The library's default compiles them, which costs a start more than a call, and takes 150 KB. */
const validator = new CfWorkerJsonSchemaValidator();

/** A server of the tools. It keeps nothing between two calls. */
export function mcpServer(given: ServerOptions): Server {
  const options = { ...given, explain: explainer(given) };
  const { version, wire, offers = () => true } = options;
  const tools: readonly ToolSpec[] = TOOLS.filter(({ name }) => offers(name));
  const server = new Server(
    { name: 'promptq', version },
    {
      instructions: INSTRUCTIONS,
      jsonSchemaValidator: validator,
      capabilities: { tools: { listChanged: false } },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: tools.map((tool) => listed(tool, wire)) }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, cut(`Tool ${params.name} not found`));
    const name = tool.name as ToolName;
    const limits = {
      over: options.over ?? AbortSignal.timeout(CALL_SECONDS[wire] * 1000),
      waitUntil: performance.now() + (CALL_SECONDS[wire] - ENDING_SECONDS) * 1000,
    };
    const args = await validated(name, wire, params.arguments);
    if ('fault' in args) return toolError(args.fault);
    return await callTool(options, { server, name, args: args.value, context, ...limits });
  });
  return server;
}

/** Explains errors, and that the time of a call is over. */
function explainer({ explain }: ServerOptions): ServerOptions['explain'] {
  return async (error, of) =>
    error instanceof DOMException && error.name === 'TimeoutError'
      ? 'The service took too long. Call the tool again.'
      : await explain(error, of);
}

function listed({ name, title, about, hints }: ToolSpec, wire: Wire): Tool {
  return {
    ...{ name, title, description: about, annotations: hints },
    inputSchema: inputSchema(name as ToolName, wire) as Tool['inputSchema'],
  };
}

interface Called {
  readonly server: Server;
  readonly name: ToolName;
  readonly args: unknown;
  readonly context: ServerContext;
  /** Ends the requests of the call. */
  readonly over: AbortSignal;
  /** What `performance.now()` is when the call may no longer wait for a job. */
  readonly waitUntil: number;
}

async function callTool(
  { wire, client, mayAnswer = true, explain }: ServerOptions,
  { server, name, args, context, over, waitUntil }: Called,
): Promise<CallToolResult | InputRequiredResult> {
  const { signal } = context.mcpReq;
  try {
    const call = {
      client: await client(over),
      wire,
      signal: AbortSignal.any([signal, over]),
      waitUntil,
      canAsk: mayAnswer && canAsk(server, context),
      answer: answerIn(context),
      jobId: jobIdIn(context),
      onFailure: async (error: unknown) => await explain(error, name),
    };
    const answer: Answer = await TOOL_CALLS[name](call, args as never);
    if (answer.question !== undefined) return inputNeeded(answer.question);
    return toolResult(fits(answer) ? answer : TOO_LONG);
  } catch (error) {
    return toolResult({ message: await explain(error, name), isError: true });
  }
}

const TOO_LONG: Answer = { message: `The answer has more than ${ANSWER_LENGTH} bytes.`, isError: true };

function toolError(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

type Input = ReturnType<typeof fromJsonSchema>;

/** Characters of a fault, which quotes what the caller has sent: each argument that the tool does not have, for example. */
const FAULT_LENGTH = 2_000;

/** Kept, because the validator resolves the references of each. */
const inputs = new Map<string, Input>();

async function validated(
  name: ToolName,
  wire: Wire,
  args: unknown,
): Promise<{ readonly value: unknown } | { readonly fault: string }> {
  const key = `${wire} ${name}`;
  const input = inputs.get(key) ?? fromJsonSchema(inputSchema(name, wire), validator);
  inputs.set(key, input);
  const outcome = await input['~standard'].validate(args ?? {});
  if (outcome.issues === undefined) return { value: outcome.value };
  // One issue holds the faults of all schemas around an argument.
  const messages = outcome.issues.flatMap(({ message }) => message.split(/; (?=#)/));
  const faults = faultSentences(messages, args, Object.keys(TOOL_CONTRACTS[name].input.properties));
  return { fault: cut(`Invalid arguments for tool ${name}: ${faults.join('; ')}`) };
}

/** How the validator's words end for the schemas around a fault, and for an unknown argument. */
const ENCLOSING = [
  'does not match schema.',
  'properties schema.',
  'Items did not match schema.',
  'False boolean schema.',
];
/** Unknown arguments that a fault names. */
const NAMED_FAULTS = 20;

/** The validator's messages without those of enclosing schemas, and with what is allowed instead of an unknown argument. */
function faultSentences(messages: readonly string[], args: unknown, allowed: readonly string[]): readonly string[] {
  const given = typeof args === 'object' && args !== null ? Object.keys(args) : [];
  const unknown = given.filter((key) => !allowed.includes(key));
  const others = messages
    .filter((message) => !ENCLOSING.some((end) => message.endsWith(end)))
    .map((message) => message.replace(/^#\/?(\S*): /, (_, path: string) => (path === '' ? '' : `${path}: `)));
  const names = unknown
    .slice(0, NAMED_FAULTS)
    .map((key) => JSON.stringify(key))
    .join(', ');
  return [...(unknown.length > 0 ? [`unknown ${names}; allowed: ${allowed.join(', ')}`] : []), ...others];
}

function cut(text: string): string {
  return text.length <= FAULT_LENGTH ? text : `${text.slice(0, FAULT_LENGTH)}…`.toWellFormed();
}

/** The JSON Schema of a tool's arguments. */
function inputSchema(name: ToolName, wire: Wire): Readonly<Record<string, unknown>> {
  const { input } = TOOL_CONTRACTS[name];
  if (name !== 'wait_for_job') return input;
  const seconds = WAIT_SECONDS[wire];
  const description = `How many seconds to wait: ${seconds.maximum} at most, by default ${seconds.default}.`;
  const timeout = { ...input.properties.timeout_seconds, description, ...seconds };
  return { ...input, properties: { ...input.properties, timeout_seconds: timeout } };
}

/** What distinguishes one server of the tools from another. */
interface ServerOptions {
  readonly version: string;
  readonly wire: Wire;
  /** The tools that it offers; default: all. */
  readonly offers?: (tool: ToolName) => boolean;
  /** Whether an answer of the client's user may be given to a job. */
  readonly mayAnswer?: boolean;
  /** Of the caller, for each request. @param over ends its requests */
  readonly client: (over?: AbortSignal) => Promise<Promptq>;
  /** Ends a call of a tool; default: its time. */
  readonly over?: AbortSignal;
  /** The sentence about an error, for the caller. */
  readonly explain: (error: unknown, of: string) => Promise<string>;
}
