import { describe, expect, test } from 'vitest';
import { createEventReader } from '../../../console/src/jobs/events/event-reader.ts';

const lines = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** The events of a text that arrives in pieces of a few characters. */
function read(text: string, size = 7) {
  const reader = createEventReader();
  for (let offset = 0; offset < text.length; offset += size)
    reader.push({ text: text.slice(offset, offset + size), offset });
  return reader.events.map(({ event }) => event);
}

describe('events', () => {
  test("that can't be parsed are shown unchanged, consecutive ones together", () => {
    const text = `plain\n{"type":"else"}\n${lines({ type: 'error', message: 'e' })}{broken\n`;
    expect(read(text)).toEqual([
      { kind: 'raw', text: 'plain\n{"type":"else"}' },
      { kind: 'error', text: 'e' },
      { kind: 'raw', text: '{broken' },
    ]);
  });

  test('of several megabytes are parsed and shown up to a limit', () => {
    const output = 'y'.repeat(1_300_000);
    const [event] = read(
      lines({
        type: 'item.completed',
        item: { id: 'i', type: 'command_execution', command: 'yes', aggregated_output: output, exit_code: 0 },
      }),
      65_536,
    );
    expect(event).toMatchObject({ kind: 'command', command: 'yes', state: 'done' });
    expect(event).toHaveProperty('output', expect.stringContaining('1,100,000 more characters are in the log.'));
  });

  test('begin with the first whole line if reading starts within a line', () => {
    const reader = createEventReader(true);
    reader.push({ text: `half of a line"}\n${lines({ type: 'error', message: 'whole' })}`, offset: 100 });
    expect(reader.events).toEqual([{ id: '117', event: { kind: 'error', text: 'whole' } }]);
  });

  test('are identified by their byte offset, however the text is split', () => {
    const text = lines({ type: 'thread.started', thread_id: 'é' }, { type: 'error', message: 'later' });
    const whole = createEventReader();
    whole.push({ text, offset: 0 });
    const byte = new TextEncoder().encode(text.slice(0, text.indexOf('\n') + 1)).length;
    expect(whole.events.map(({ id }) => id)).toEqual(['0', String(byte)]);
    const cut = createEventReader();
    cut.push({ text: text.slice(0, 20), offset: 0 });
    cut.push({ text: text.slice(20), offset: 20 });
    expect(cut.events).toEqual(whole.events);
  });

  test('begin and end when their pieces arrive', () => {
    const item = { id: 'item_1', type: 'command_execution', command: 'ls' };
    const reader = createEventReader();
    const push = (value: unknown, at?: number) => reader.push({ text: lines(value), offset: 0, at });
    push({ type: 'thread.started', thread_id: 'T' });
    push({ type: 'item.started', item: { ...item, status: 'in_progress' } }, 1_000);
    push({ type: 'item.updated', item: { ...item, status: 'in_progress' } }, 2_000);
    push({ type: 'item.completed', item: { ...item, exit_code: 0, status: 'completed' } }, 5_000);
    const [session, command] = reader.events;
    expect(session).not.toHaveProperty('startedAt');
    expect(command).toMatchObject({ startedAt: 1_000, endedAt: 5_000 });
  });

  test("of codex's app server begin and end when it says so", () => {
    const item = { type: 'commandExecution', id: 'c', command: 'make' };
    const reader = createEventReader();
    const at = (emittedAtMs: number, method: string, more: object) => {
      const text = lines({ method, params: { item: { ...item, ...more } }, emittedAtMs });
      reader.push({ text, offset: 0, at: 9_000 });
    };
    at(1_000, 'item/started', { status: 'inProgress' });
    at(1_250, 'item/completed', { status: 'completed', exitCode: 0, aggregatedOutput: 'ok' });
    expect(reader.events).toMatchObject([{ startedAt: 1_000, endedAt: 1_250, isExact: true }]);
  });

  test('of errors are shown as text, and once if codex repeats them', () => {
    const message = 'unexpected status 400 Bad Request: {"error":{"message":"The model is overloaded.","code":"x"}}';
    const text = lines({ type: 'error', message }, { type: 'turn.failed', error: { message } });
    expect(read(text)).toEqual([
      { kind: 'error', text: 'unexpected status 400 Bad Request: The model is overloaded.' },
    ]);
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 3, error_status: 529 };
    expect(read(lines(retry))).toEqual([
      { kind: 'error', text: 'The request to the vendor failed (529). Retry 1 of 3.' },
    ]);
  });
});
