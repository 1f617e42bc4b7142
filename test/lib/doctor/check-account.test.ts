import { expect, it } from 'vitest';
import type { Schemas } from '../../../lib/client/promptq.ts';
import { checkAccount } from '../../../lib/doctor/service/check-account.ts';
import { withService } from './stand-in-service.ts';

const environment = { service: { default_profile: 'codex' } } as Schemas['Environment'];

async function findings(status: number) {
  const answer = () => ({ status, body: { error: 'not_found', details: {} } });
  return await withService({ answer, isLocal: true }, (service) => checkAccount(service, environment));
}

it('a deployment without a vendor account is fine, and a failed read is not taken for one', async () => {
  expect(await findings(404)).toMatchObject([{ state: 'ok', message: 'this deployment has none' }]);
  expect(await findings(403)).toEqual([]);
  await expect(findings(400)).rejects.toThrow('GET /codex-account');
});
