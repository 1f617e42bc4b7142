import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needsWorker, started, unlinked } from '../../../lib/accounts/account.ts';
import { AccountStore } from '../../../lib/accounts/account-store.ts';
import { LoginRunner } from '../../../worker-container/account/account-login.ts';
import { CredentialFiles } from '../../../worker-container/account/credential-files.ts';
import { waitFor } from '../../local-run/local-service.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';

let deployment: EmulatedDeployment;
let folder: string;
beforeAll(async () => {
  deployment = await emulateDeployment();
  folder = await mkdtemp(join(tmpdir(), 'promptq-credentials-'));
});
afterAll(async () => {
  await deployment.stop();
  await rm(folder, { recursive: true });
});

it("an unlinked login that this worker can't revoke is removed, so that the account needs no worker", async () => {
  const { worker } = await openWorker(deployment);
  const accounts = new AccountStore({ ...deployment.registry, world: 'real' });
  const credentials = new CredentialFiles(folder, accounts, 'codex');
  await accounts.change('codex', (account, now) => started(account, 'login', now));
  await credentials.link('login', 'secret', undefined);
  await accounts.change('codex', unlinked);
  expect(needsWorker(await accounts.read('codex'))).toBe(true);
  const draining = new AbortController();
  const runner = new LoginRunner(
    {
      // As in an image for other agents.
      env: { ...worker.env, PROMPTQ_VENDOR: 'real', PROMPTQ_CODEX_BIN: join(folder, 'no-such-cli') },
      vendor: 'codex',
      accounts,
      account: undefined,
      credentials,
      workerId: 'worker-under-test',
      markPrefix: worker.markPrefix,
      log: new Logger({ serviceName: 'test', logLevel: 'SILENT' }),
      onLinked: async () => undefined,
    },
    { draining: draining.signal, stopping: new AbortController().signal },
  );
  const running = runner.run();
  await waitFor(async () => !needsWorker(await accounts.read('codex')));
  draining.abort();
  await running;
  expect(await readdir(folder)).toEqual([]);
});
