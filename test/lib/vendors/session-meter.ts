import type { AgentOutput, SessionPart } from '../../../lib/vendors/output/agent-output.ts';

/** A meter that has read a session, of which it gets each part cut in the middle of a line. */
export function meterOf(agent: AgentOutput, parts: Partial<Record<SessionPart, readonly object[]>>) {
  const meter = agent.createMeter?.();
  for (const part of ['billed', 'unbilled', 'own'] as const) {
    const text = Buffer.from((parts[part] ?? []).map((line) => `${JSON.stringify(line)}\n`).join(''));
    meter?.push(text.subarray(0, 10), part);
    meter?.push(text.subarray(10), part);
  }
  return meter;
}

/** Tokens and dollars as a receipt has them. */
export function usage(input: number, output: number, cost?: number) {
  return {
    input_tokens: input,
    cached_input_tokens: 0,
    output_tokens: output,
    reasoning_output_tokens: 0,
    ...(cost !== undefined && { cost_usd: cost }),
  };
}
