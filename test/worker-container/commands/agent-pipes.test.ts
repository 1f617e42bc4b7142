import { fstatSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openAgentPipes } from '../../../worker-container/commands/agent-pipes.ts';

const modeOf = (descriptor: number) => fstatSync(descriptor).mode & 0o777;

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

/** Closes both sides. */
function end(pipes: Awaited<ReturnType<typeof openAgentPipes>>): void {
  pipes.handOver();
  pipes.input?.destroy();
  for (const stream of [pipes.stdout, pipes.stderr]) stream.destroy();
}
