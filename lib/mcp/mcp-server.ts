import { type CallToolResult, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import type { Answer } from './answers.ts';
import { toolResult } from './answers.ts';
import { TOOL_CONTRACTS } from './tool-contracts.ts';
import { TOOLS, type ToolName, WAIT_SECONDS, type Wire } from './tool-table.ts';

const INSTRUCTIONS =
  'Promptq runs jobs of coding agents in the background. Delegate a task with create_job, call wait_for_job until the job has ended, then read its answer with job_result.';

/** What distinguishes one server of the tools from another. */
export interface ServerOptions {
  readonly version: string;
  readonly wire: Wire;
  /** The tools that it offers; default: all. */
  readonly offers?: (tool: ToolName) => boolean;
  readonly call: (name: ToolName, args: unknown, signal: AbortSignal) => Promise<Answer>;
}

/** A server of the tools. It keeps nothing between two calls. */
export function mcpServer({ version, wire, offers = () => true, call }: ServerOptions): McpServer {
  const server = new McpServer(
    { name: 'promptq', version },
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
  );
  for (const { name, title, about, hints } of TOOLS.filter((tool) => offers(tool.name))) {
    server.registerTool(
      name,
      { title, description: about, inputSchema: inputOf(name, wire), annotations: hints },
      async (args, { mcpReq: { signal } }): Promise<CallToolResult> => toolResult(await call(name, args, signal)),
    );
  }
  return server;
}

type Input = ReturnType<typeof fromJsonSchema>;

/** Kept, because the validator compiles each. */
const inputs = new Map<string, Input>();

function inputOf(name: ToolName, wire: Wire): Input {
  const key = `${wire} ${name}`;
  const known = inputs.get(key) ?? fromJsonSchema(inputSchema(name, wire));
  inputs.set(key, known);
  return known;
}

/** The JSON Schema of a tool's arguments. */
export function inputSchema(name: ToolName, wire: Wire): Readonly<Record<string, unknown>> {
  const { input } = TOOL_CONTRACTS[name];
  if (name !== 'wait_for_job') return input;
  const seconds = WAIT_SECONDS[wire];
  const description = `How many seconds to wait: ${seconds.maximum} at most, by default ${seconds.default}.`;
  const timeout = { ...input.properties.timeout_seconds, description, ...seconds };
  return { ...input, properties: { ...input.properties, timeout_seconds: timeout } };
}
