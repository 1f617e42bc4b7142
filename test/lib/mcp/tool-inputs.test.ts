import { expect, it } from 'vitest';
import { TOOL_CONTRACTS } from '../../../lib/mcp/tool-contracts.ts';
import { TOOL_INPUTS } from '../../../lib/mcp/tool-inputs.ts';

it('an agent gets no more of a list and of output than fits into its context', () => {
  const boundsOf = (tool: keyof typeof TOOL_INPUTS, name: string) => {
    const { properties } = TOOL_INPUTS[tool] as { properties: Record<string, object> };
    return properties[name];
  };
  expect(boundsOf('job_logs', 'limit')).toMatchObject({ minimum: 4, default: 16_384, maximum: 65_536 });
  expect(boundsOf('list_jobs', 'limit')).toMatchObject({ minimum: 1, default: 20, maximum: 50 });
});

it.each([
  ['continue_job', 'fresh_folder'],
  ['continue_job', 'profile'],
  ['fork_job', 'profile'],
] as const)('%s takes what the service asks for when it refuses a thread: %s', (tool, use) => {
  for (const input of [TOOL_INPUTS[tool], TOOL_CONTRACTS[tool].input])
    expect((input as { properties: object }).properties).toHaveProperty(use);
});

it.each(Object.keys(TOOL_INPUTS) as (keyof typeof TOOL_INPUTS)[])('the generated arguments of %s are these', (tool) => {
  expect(TOOL_CONTRACTS[tool].input).toEqual(TOOL_INPUTS[tool]);
});
