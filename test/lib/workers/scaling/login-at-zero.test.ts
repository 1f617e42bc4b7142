import { expect, test } from 'vitest';
import { TokenStore } from '../../../../lib/access/tokens/token-store.ts';
import { startCodexLogin } from '../../../../lib/contract/routes/account.ts';
import { startGateway } from '../../../../lib/local/gateway/gateway.ts';
import { scalingUnderTest } from './scaling-under-test.ts';

const scaling = scalingUnderTest();

test('the start of a login when no worker lives has one launched at once', async () => {
  const { token } = await new TokenStore(scaling.deployment.registry).create({ name: 'admin', scopes: ['admin'] });
  const gateway = await startGateway({
    port: 0,
    routes: [startCodexLogin],
    load: async () => await import('../../../../functions/codex-account/start.ts'),
    log: () => undefined,
  });
  try {
    const answer = await fetch(`${gateway.url}/api/v1/codex-account/start`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    expect([answer.status, await answer.json()]).toEqual([202, expect.objectContaining({ state: 'starting' })]);
  } finally {
    await gateway.close();
  }
  expect(scaling.aws.invoked).toEqual(['promptq-scale-workers']);
  expect(await scaling.handle()).toEqual({ need: 1, started: 0, launch: 1 });
  expect(scaling.aws.tasks).toHaveLength(1);
});
