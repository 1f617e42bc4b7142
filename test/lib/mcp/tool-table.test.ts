import { expect, it } from 'vitest';
import { routes } from '../../../lib/contract/routes/routes.ts';
import { TOOL_CONTRACTS } from '../../../lib/mcp/tool-contracts.ts';
import { LIST_LENGTH, LOG_BYTES, TOOLS, type ToolSpec } from '../../../lib/mcp/tool-table.ts';
import { TOOL_CALLS } from '../../../lib/mcp/tools.ts';

const ALL: readonly ToolSpec[] = TOOLS;

it('each tool is described once', () => {
  expect(ALL.map(({ name }) => name).toSorted()).toEqual(Object.keys(TOOL_CALLS).toSorted());
});

it('each tool needs the scopes of the routes that it calls', () => {
  const scopeOf = new Map<string, string>(routes.map(({ id, scope }) => [id, scope]));
  const needed = ALL.map((tool) => [tool.name, [...new Set(tool.routes.map((id) => scopeOf.get(id)))]]);
  const contracts: Readonly<Record<string, { readonly scopes: readonly string[] }>> = TOOL_CONTRACTS;
  expect(needed).toEqual(ALL.map(({ name }) => [name, contracts[name]?.scopes]));
});

it('a tool that waits may ask the user of its client', () => {
  const asking = ['jobs.questions', 'jobs.answer'];
  expect(ALL.filter((tool) => tool.asking !== undefined).map((tool) => [tool.name, tool.asking])).toEqual([
    ['run_job', asking],
    ['wait_for_job', asking],
  ]);
});

it('the generated bounds of output and of lists are those of the table', () => {
  expect(TOOL_CONTRACTS.job_logs.input.properties.limit).toMatchObject(LOG_BYTES);
  expect(TOOL_CONTRACTS.list_jobs.input.properties.limit).toMatchObject(LIST_LENGTH);
});
