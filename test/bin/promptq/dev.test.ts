import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { emptyHome, startPromptq } from './promptq-command.ts';

const home = emptyHome();

test('`promptq dev` on a port that is taken names --port before it installs or starts anything', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  for (const [args, env] of [
    [['--port', String(port)], {}],
    [[], { PORT: String(port) }],
  ] as const)
    expect(await startPromptq(['dev', ...args], { env: { HOME: home, ...env }, cwd: home }).ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `promptq: port ${port} is taken by another program; choose another one by --port, or --port 0 for any free one\n`,
    });
});
