import { closeSync, fstatSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { openAgentPipes } from '../../../worker-container/commands/agent-pipes.ts';
import { takeFifo } from '../../../worker-container/commands/fifo-stock.ts';

const modeOf = (descriptor: number) => fstatSync(descriptor).mode & 0o777;

/** How many ends of FIFOs this process has open. */
function openFifos(): number {
  const kinds = readdirSync('/proc/self/fd').map((one) => statSync(`/proc/self/fd/${one}`, { throwIfNoEntry: false }));
  return kinds.filter((stats) => stats?.isFIFO()).length;
}

it('the text of stdin is a file that any account may read and none may write, without a name', async () => {
  const pipes = await openAgentPipes('the prompt');
  const [stdin] = pipes.stdio;
  expect(fstatSync(stdin).isFile()).toBe(true);
  expect(fstatSync(stdin).nlink).toBe(0);
  expect(modeOf(stdin)).toBe(0o444);
  expect(readFileSync(stdin, 'utf8')).toBe('the prompt');
  expect(pipes.input).toBeUndefined();
  end(pipes);
});

it('a stdin without text has ended', async () => {
  const pipes = await openAgentPipes('');
  expect(readFileSync(pipes.stdio[0], 'utf8')).toBe('');
  expect(pipes.input).toBeUndefined();
  end(pipes);
});

it('what the agent writes arrives, and ends when its ends are closed', async () => {
  const pipes = await openAgentPipes('');
  const [, stdout, stderr] = pipes.stdio;
  for (const stream of [stdout, stderr]) expect(fstatSync(stream).isFIFO()).toBe(true);
  writeSync(stdout, 'result');
  writeSync(stderr, 'complaint');
  pipes.handOver();
  expect(await text(pipes.stdout)).toBe('result');
  expect(await text(pipes.stderr)).toBe('complaint');
});

it('an open stdin brings what the worker writes', async () => {
  const pipes = await openAgentPipes(undefined);
  await new Promise<void>((resolve) => pipes.input?.end('first line\n', () => resolve()));
  expect(readFileSync(pipes.stdio[0], 'utf8')).toBe('first line\n');
  end(pipes);
});

it.each(['input', 'output'] as const)('an %s FIFO leaves nothing open but its two ends', async (direction) => {
  // The first fills the stock.
  const first = await takeFifo(direction);
  const before = openFifos();
  const taken = [];
  for (let n = 0; n < 16; n += 1) taken.push(await takeFifo(direction));
  const made = openFifos() - before;
  // One batch was made meanwhile, of which one is left, as before.
  expect(made).toBe(32);
  for (const { reader, writer } of [first, ...taken]) for (const one of [reader, writer]) closeSync(one);
});

/** Closes both sides. */
function end(pipes: Awaited<ReturnType<typeof openAgentPipes>>): void {
  pipes.handOver();
  pipes.input?.destroy();
  for (const stream of [pipes.stdout, pipes.stderr]) stream.destroy();
}
