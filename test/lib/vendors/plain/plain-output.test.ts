import { expect, it } from 'vitest';
import type { PlainCli } from '../../../../lib/contract/agents/definition.ts';
import { plainOutput } from '../../../../lib/vendors/plain/plain-output.ts';

const cli = (read: PlainCli['read']) => ({ read }) as PlainCli;

it('each line adds to what is known, and its message is one', () => {
  const output = plainOutput(cli((line) => line as { message?: string; sessionId?: string; finished?: boolean }));
  const said: string[] = [];
  const reader = output.createReader({ push: (text) => said.push(text), end: () => said.push('|') });
  expect(reader.facts()).toEqual({ finished: false });
  const lines = [{ sessionId: 'S' }, { message: 'a' }, { message: '' }, { finished: true }];
  reader.push(Buffer.from(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"message":"cut"}`));
  reader.end();
  expect(reader.facts()).toEqual({ finished: true, sessionId: 'S', finalMessage: '' });
  expect(said).toEqual(['a', '|', '', '|']);
  expect(output.conclude({ finished: true }, { exitCode: 1, signal: null, stderrTail: 'error: x' })).toEqual({
    finished: true,
  });
});

it('only lines about a text are read if only they are wanted', () => {
  const output = plainOutput(cli((line) => line as { message: string }));
  const said: string[] = [];
  const reader = output.createReader({ push: (text) => said.push(text), end: () => undefined }, 'word');
  reader.push(Buffer.from('{"message":"a word"}\n{"message":"none"}\n{"message":"wor\\u0064"}\n'));
  expect(said).toEqual(['a word', 'word']);
});
