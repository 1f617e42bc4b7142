import { expect, it } from 'vitest';
import { contains, filtersOf } from '../../../console/src/jobs/events/event-filter.ts';
import type { AgentEvent } from '../../../lib/vendors/timeline/agent-event.ts';

const event = (fields: Record<string, unknown>) => fields as unknown as AgentEvent;

it.each([
  [{ kind: 'message', text: 'a' }, ['messages']],
  [{ kind: 'command', state: 'done' }, ['commands']],
  [{ kind: 'command', state: 'failed' }, ['commands', 'errors']],
  [{ kind: 'tool', state: 'running' }, ['commands']],
  [{ kind: 'files', state: 'failed' }, ['files', 'errors']],
  [{ kind: 'error', text: 'a' }, ['errors']],
  [{ kind: 'reasoning', text: 'a' }, ['reasoning']],
  [{ kind: 'note', text: 'a' }, ['other']],
  [{ kind: 'raw', text: 'a' }, ['other']],
  [{ kind: 'usage', facts: [] }, ['other']],
])('the filters of %j', (fields, filters) => {
  expect(filtersOf(event(fields))).toEqual(filters);
});

it.each([
  [{ kind: 'message', text: 'A Needle' }],
  [{ kind: 'command', command: 'find needle', output: '' }],
  [{ kind: 'command', command: '', output: 'needle' }],
  [{ kind: 'tool', name: 'needle', input: '', output: '' }],
  [{ kind: 'tool', name: '', input: 'needle', output: '' }],
  [{ kind: 'tool', name: '', input: '', output: 'needle' }],
  [{ kind: 'files', changes: [{ path: 'hay' }, { path: 'needle' }] }],
  [{ kind: 'usage', facts: [['needle', '1']] }],
])('a needle is found in %j', (fields) => {
  expect(contains(event(fields), 'needle')).toBe(true);
  expect(contains(event(fields), '')).toBe(true);
  expect(contains(event(fields), 'thread')).toBe(false);
});
