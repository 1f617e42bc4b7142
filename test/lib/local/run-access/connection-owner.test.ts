import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isOwnConnection } from '../../../../lib/local/run-access/connection-owner.ts';
import { describeAsRoot } from '../../../worker-container/service-accounts/as-root.ts';

const run = promisify(execFile);
const NOBODY = ['--reuid=65534', '--regid=65534', '--clear-groups'];
const CONNECT =
  'use IO::Socket::INET; my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $ARGV[0]); print $s "hello\\n";';

describeAsRoot('the owner of a loopback connection', () => {
  let server: Server;
  let port: string;
  beforeEach(async () => {
    // Half open, so that the connection outlives the end of its client.
    server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' ? String(address?.port) : '';
  });
  afterEach(() => server.close());

  const connected = async (args: readonly string[], wait: string): Promise<Socket> => {
    const accepted = once(server, 'connection');
    const client = run('setpriv', [...args, 'perl', '-e', `${CONNECT}${wait}`, port]);
    const [socket] = (await accepted) as [Socket];
    await once(socket, 'data');
    if (wait === '') await client;
    else client.catch(() => undefined);
    return socket;
  };
  const WAIT = 'readline $s;';

  test('is this user, or another one', async () => {
    const [own, other] = [await connected([], WAIT), await connected(NOBODY, WAIT)];
    expect([await isOwnConnection(own), await isOwnConnection(other)]).toEqual([true, false]);
    for (const socket of [own, other]) socket.destroy();
  });

  test('is unknown once the client has closed its end, which the system lists as of user 0', async () => {
    const socket = await connected(NOBODY, '');
    expect(await isOwnConnection(socket)).toBe(false);
    socket.destroy();
  });
});
