import { expect, it } from 'vitest';
import type { Schemas } from '../../../lib/client/promptq.ts';
import { checkAccount } from '../../../lib/doctor/service/check-account.ts';
import { withService } from './stand-in-service.ts';

async function findings(status: number, account: object = {}, profile = 'codex') {
  const environment = { service: { default_profile: profile } } as Schemas['Environment'];
  const body = status === 200 ? account : { error: 'not_found', details: {} };
  const answer = () => ({ status, body });
  const found = await withService({ answer, isLocal: true }, (service) => checkAccount(service, environment));
  return found.map(({ check, state, message }) => `${state} ${check}: ${message}`);
}

it.each([
  [{ state: 'not_linked' }, 'not linked'],
  [{ state: 'failed', error: 'expired' }, 'not linked (failed: expired)'],
  [{ state: 'not_linked', error: 'expired' }, 'not linked (expired)'],
  [{ state: 'pending' }, 'not linked (pending)'],
])('an account that is not linked %j matters to jobs of codex', async (account, message) => {
  expect(await findings(200, { logged_in: false, ...account })).toEqual([
    `warning account: ${message}, and jobs go to the profile codex unless they name another`,
  ]);
  expect(await findings(200, { logged_in: false, ...account }, 'claude')).toEqual([
    `ok account: ${message}; only jobs of the profile codex need it`,
  ]);
});
