import type * as z from 'zod';

/** A tool that an agent can call while its attempt runs. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** For the model: what the tool does and when to call it. */
  readonly description: string;
  readonly input: Input;
  /**
   * @param signal aborts when the agent gave the call up, or the attempt ends
   * @returns the answer, for the model
   * @throws ToolRefusedError; another error is logged, and the agent learns only that the call failed
   */
  call(input: z.output<Input>, signal: AbortSignal): Promise<string>;
}

/** A call that can't be done. The agent gets the message. */
export class ToolRefusedError extends Error {
  override readonly name = 'ToolRefusedError';
}

/** A tool with the type of its input. */
export function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool {
  return definition as unknown as Tool;
}
