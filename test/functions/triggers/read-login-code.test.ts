import { expect, it } from 'vitest';
import { handler } from '../../../functions/triggers/read-login-code.ts';
import { printedBy } from '../../local-run/captured-lines.ts';

/** What becomes of a question to a process at an address where none listens. */
async function asked(address: string): Promise<string> {
  const question = { login_id: 'login-1', listener: { address, port: 1, nonce: 'n' } };
  const { result } = await printedBy(
    async () => await handler(question as never, { awsRequestId: 'r' } as never).catch((error: Error) => error.message),
  );
  return JSON.stringify(result);
}

it('only the private address of a worker is asked for the code of a login', async () => {
  const refusal = 'expected the private address of a worker';
  for (const address of ['8.8.8.8', '169.254.169.254', '0.0.0.0', '2001:4860:4860::8888'])
    expect(await asked(address), address).toContain(refusal);
  const own = ['127.0.0.1', '::1', '10.0.0.1', '172.16.0.1', '192.168.1.1', 'fd00::1'];
  for (const address of own) expect(await asked(address), address).not.toContain(refusal);
});
