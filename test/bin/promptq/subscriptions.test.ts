import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createInterface } from 'node:readline';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { documentAt, shellBlocks } from '../../docs/documents.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { commandsOf, emptyHome } from './promptq-command.ts';

const GUIDE = 'docs/guide/subscriptions.md';

const home = emptyHome();
let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});
const { run, promptq, json } = commandsOf(() => service, home);

/** The words of a line of shell, without its quotes. */
const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** The receiver of the guide, with this secret. */
async function startReceiver(port: number, secret: string): Promise<string[]> {
  const source = documentAt(GUIDE).fences.find(({ language }) => language === 'js')?.text ?? '';
  const receiver = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    env: { SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void receiver.kill());
  const lines: string[] = [];
  createInterface(receiver.stdout).on('line', (line) => lines.push(line));
  // A delivery that comes before it listens is tried again a minute later.
  await waitFor(() => isListening(port));
  return lines;
}

test('the commands and the receiver of the guide do what it says', async () => {
  const [block = ''] = shellBlocks(GUIDE, 'Subscriptions');
  const [subscribe = '', tried = '', list = ''] = block
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const port = await freePort();
  const at = subscribe.replace('https://hooks.example.com', `http://127.0.0.1:${port}`);
  const created = await run(wordsOf(at).slice(1));
  expect(created.stderr).toContain('which sends question.opened, job.failed,');
  const secret = created.stdout.trim();
  const lines = await startReceiver(port, secret);
  const test = (await run(wordsOf(tried).slice(1))).stdout.trim();
  await waitFor(() => lines.length === 1);
  expect(lines[0]).toMatch(/^msg_\w+ subscription.test undefined undefined$/);
  const { json: job } = await service.api('POST', '/jobs', { profile: 'shell', prompt: 'exit 1', project: 'shop' });
  await waitFor(() => lines.length === 2);
  expect(lines[1]).toMatch(new RegExp(`^msg_\\w+ job.failed ${job.id} 3$`));
  const listed = await waitFor(async () => {
    const { stdout } = await run(wordsOf(list).slice(1));
    return stdout.match(/delivered/g)?.length === 2 && stdout;
  });
  expect(listed).toContain(test);
  const [, delivery = ''] = /(\S+) +delivered .*job\.failed/.exec(listed) ?? [];
  await promptq('subscriptions', 'resend', 'On call', delivery);
  await waitFor(() => lines.length === 3);
  expect(lines[2]).toBe(lines[1]);

  // Signed with the former secret and a new one.
  expect((await promptq('subscriptions', 'rotate-secret', 'On call')).stdout).toMatch(/^whsec_/);
  await promptq('subscriptions', 'test', 'On call');
  await waitFor(() => lines.length === 4);
  const forged = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: {
      'webhook-id': 'x',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AA',
    },
    body: '{}',
  });
  expect(forged.status).toBe(401);

  expect((await promptq('subscriptions', 'show', 'On call')).stdout).toMatch(/^On call: active\nto +webhook http/);
  expect((await json('Subscription', ['subscriptions', 'disable', 'On call'])).value.state).toBe('disabled');
  expect((await json('SubscriptionList', ['subscriptions'])).value.items).toContainEqual(
    expect.objectContaining({ name: 'On call', filter: expect.objectContaining({ project: 'shop' }) }),
  );
  expect((await run(['subscriptions', 'resend', 'On call'])).code).toBe(2);
  expect((await promptq('subscriptions', 'delete', 'On call')).stderr).toContain('deleted On call');
});
