import { expect, it } from 'vitest';
import { Terminal } from '../../../../lib/cli/base/terminal.ts';
import { printerOf, styleOf } from '../../../../lib/cli/jobs/output.ts';
import { collectedOutput } from '../../../local-run/collected-output.ts';

const SESSION = '{"type":"thread.started","thread_id":"T"}\n';

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

it('raw output is printed unchanged, stdout to stdout and stderr to stderr', async () => {
  const { stdout, stderr, end, printed } = await printing('raw');
  await stdout(SESSION);
  await stderr('why');
  await end('FAILED');
  expect(printed()).toEqual([SESSION, 'why']);
});

it('a timeline is printed line by line, and an incomplete line at the end of the attempt', async () => {
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

it('the end of stderr, without colours, explains a failure that no event explains', async () => {
  const { stderr, end, printed } = await printing('timeline');
  await stderr('x'.repeat(1_500));
  await stderr(`${'y'.repeat(1_000)}\u001b[31m \n`);
  expect(printed()).toEqual(['', '']);
  await end('FAILED');
  expect(printed()).toEqual(['', `${'x'.repeat(2_000 - 1_007)}${'y'.repeat(1_000)}\n`]);
});
