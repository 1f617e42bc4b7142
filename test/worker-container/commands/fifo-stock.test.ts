import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import fs, { closeSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openAgentPipes } from '../../../worker-container/commands/agent-pipes.ts';
import { type Fifo, takeFifo } from '../../../worker-container/commands/fifo-stock.ts';

/** How many ends of FIFOs this process has open. */
function openFifos(): number {
  const kinds = readdirSync('/proc/self/fd').map((one) => statSync(`/proc/self/fd/${one}`, { throwIfNoEntry: false }));
  return kinds.filter((stats) => stats?.isFIFO()).length;
}

function close(fifos: readonly Fifo[]): void {
  for (const { reader, writer } of fifos) for (const end of [reader, writer]) closeSync(end);
}

/** Takes FIFOs until as many are in stock as a new batch leaves. */
async function restock(direction: 'input' | 'output'): Promise<void> {
  const taken: Fifo[] = [];
  for (let before = openFifos(); ; before = openFifos()) {
    taken.push(await takeFifo(direction));
    if (openFifos() > before) break;
  }
  close(taken);
}

/** A new folder for temporary files. */
async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
  return folder;
}

/** Whether an end waits. */
function waits(end: number): boolean {
  const [, flags = '0'] = /flags:\s+(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${end}`, 'utf8')) ?? [];
  return (Number.parseInt(flags, 8) & fs.constants.O_NONBLOCK) === 0;
}

it.each(['input', 'output'] as const)(
  'the end of an %s FIFO that an agent gets waits, that of the worker does not',
  async (direction) => {
    const fifo = await takeFifo(direction);
    expect([waits(fifo.reader), waits(fifo.writer)]).toEqual([direction === 'input', direction === 'output']);
    close([fifo]);
  },
);

it('many FIFOs at once need few processes, and leave no folder behind', async () => {
  const folder = await temporary();
  let started = 0;
  const onProcess = () => {
    started += 1;
  };
  subscribe('child_process', onProcess);
  const taken = await Promise.all(Array.from({ length: 40 }, () => takeFifo('output')));
  unsubscribe('child_process', onProcess);
  expect(started).toBeLessThanOrEqual(3);
  expect(new Set(taken.flatMap(({ reader, writer }) => [reader, writer])).size).toBe(80);
  expect(await readdir(folder)).toEqual([]);
  close(taken);
});

it.each([1, 4, 5])('a batch of which an end cannot be opened leaves nothing open (end %i)', async (failing) => {
  const { openSync } = fs;
  onTestFinished(() => {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  });
  // The first fills the stock, so that the next batch is due when as many are taken.
  await restock('input');
  const taken: Fifo[] = [];
  for (let n = 0; n < 15; n += 1) taken.push(await takeFifo('input'));
  const before = openFifos();
  let opened = 0;
  fs.openSync = (...given) => {
    opened += 1;
    if (opened > failing) throw new Error('too many open files');
    return openSync(...given);
  };
  syncBuiltinESMExports();
  await expect(takeFifo('input')).rejects.toThrow('too many open files');
  expect(openFifos()).toBe(before);
  close(taken);
});

it('pipes whose stdin cannot be made are closed', async () => {
  await restock('output');
  const before = openFifos();
  vi.stubEnv('TMPDIR', '/no/such/folder');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(openAgentPipes('the prompt')).rejects.toThrow('ENOENT');
  expect(openFifos()).toBe(before - 4);
});

it('a text for stdin leaves no folder behind, and none needs no file', async () => {
  const folder = await temporary();
  await restock('output');
  const pipes = [await openAgentPipes('the prompt'), await openAgentPipes('')];
  expect(await readdir(folder)).toEqual([]);
  expect(pipes.map(({ stdio }) => fs.fstatSync(stdio[0]).isCharacterDevice())).toEqual([false, true]);
  for (const { handOver, stdout, stderr } of pipes) {
    handOver();
    for (const pipe of [stdout, stderr]) pipe.destroy();
  }
});
