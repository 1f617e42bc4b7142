import { expect, it } from 'vitest';
import type { Context } from '../../../../lib/cli/base/context.ts';
import { Terminal } from '../../../../lib/cli/base/terminal.ts';
import { copyOutput, outputStyle, printerOf, styleOf } from '../../../../lib/cli/jobs/output.ts';
import type { Promptq } from '../../../../lib/client/promptq.ts';
import { collectedOutput } from '../../../local-run/collected-output.ts';

const SESSION = '{"type":"thread.started","thread_id":"T"}\n';
const FAULT = '{"type":"item.completed","item":{"id":"e","type":"error","message":"no"}}\n';

/** A printer, and what it has printed. */
async function printing(style: 'raw' | 'timeline') {
  const [out, err] = [collectedOutput(), collectedOutput()];
  const { output, end } = await printerOf(new Terminal(out.stream, err.stream), style);
  return {
    stdout: async (text: string, offset = 0) => await output({ stream: 'stdout', text, offset }),
    stderr: async (text: string) => await output({ stream: 'stderr', text, offset: 0 }),
    end,
    printed: () => [out.collected(), err.collected()],
  };
}

it.each([
  [null, 'raw'],
  ['shell', 'raw'],
  ['codex', 'timeline'],
] as const)('the output of the agent %j is printed as %s', (agent, style) => {
  expect(styleOf({ agent })).toBe(style);
});

it('raw output is printed as it is, each stream to its own', async () => {
  const { stdout, stderr, end, printed } = await printing('raw');
  await stdout(SESSION);
  await stderr('why');
  await end('FAILED');
  expect(printed()).toEqual([SESSION, 'why']);
});

it('a timeline is printed as its lines are complete, and its rest at the end of the attempt', async () => {
  const { stdout, end, printed } = await printing('timeline');
  await stdout(SESSION);
  expect(printed()).toEqual(['Session T\n', '']);
  await stdout('a rest', SESSION.length);
  expect(printed()).toEqual(['Session T\n', '']);
  await end('SUCCEEDED');
  expect(printed()).toEqual(['Session T\na rest\n', '']);
  await stdout(SESSION);
  expect(printed()).toEqual(['Session T\na rest\nSession T\n', '']);
});

it('the end of stderr tells why an attempt has failed, without colours, if no event does', async () => {
  const { stderr, end, printed } = await printing('timeline');
  await stderr('x'.repeat(1_500));
  await stderr(`${'y'.repeat(1_000)}\u001b[31m \n`);
  expect(printed()).toEqual(['', '']);
  await end('FAILED');
  expect(printed()).toEqual(['', `${'x'.repeat(2_000 - 1_007)}${'y'.repeat(1_000)}\n`]);
});

it.each([
  ['the attempt has succeeded', '', 'why', 'SUCCEEDED'],
  ['an event tells it', FAULT, 'why', 'FAILED'],
  ['it is blank', '', '\u001b[0m \n', 'FAILED'],
] as const)('stderr is not printed if %s', async (_, out, err, status) => {
  const { stdout, stderr, end, printed } = await printing('timeline');
  await stdout(out);
  await stderr(err);
  await end(status);
  expect(printed()).toEqual([out === '' ? '' : 'error: no\n', '']);
});

it('an attempt is printed apart from the one before', async () => {
  const { stdout, stderr, end, printed } = await printing('timeline');
  await stdout(FAULT);
  await stderr('of the first');
  await end('QUEUED');
  await stderr('of the second');
  await end('FAILED');
  expect(printed()).toEqual(['error: no\n', 'of the second\n']);
});

it('the style is that of the agent of the job, which is not asked for if its reader wants it raw', async () => {
  let asked = 0;
  const GET = async () => {
    asked += 1;
    return { data: { agent: 'codex' }, response: new Response() };
  };
  const client = { api: { GET } } as unknown as Promptq;
  expect([await outputStyle(client, 'j', true), asked]).toEqual(['raw', 0]);
  expect([await outputStyle(client, 'j', undefined), asked]).toEqual(['timeline', 1]);
});

it('what an attempt left is printed at its end, before the next attempt', async () => {
  const [out, err] = [collectedOutput(), collectedOutput()];
  const context = { terminal: new Terminal(out.stream, err.stream) } as Context;
  const asked: unknown[] = [];
  const client = {
    async *follow(...given: unknown[]) {
      asked.push(given);
      yield { type: 'output', stream: 'stdout', text: 'a rest', offset: 0 };
      yield { type: 'end', status: 'QUEUED', stdout_state: 'damaged' };
      yield { type: 'output', stream: 'stdout', text: SESSION, offset: 0 };
      yield { type: 'end', status: 'SUCCEEDED' };
    },
  } as unknown as Promptq;
  await copyOutput(context, client, { id: 'j', attempt: 1, style: 'timeline' });
  expect([out.collected(), err.collected()]).toEqual([
    'a rest\nSession T\n',
    'stdout is damaged: it is not what the job wrote\n',
  ]);
  expect(asked).toEqual([['j', { attempt: 1 }]]);
});
