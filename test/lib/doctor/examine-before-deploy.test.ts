import { expect, it } from 'vitest';
import { examineBeforeDeploy } from '../../../lib/doctor/before-deploy/examine-before-deploy.ts';

it('wrong settings are all that is reported', async () => {
  const found = await examineBeforeDeploy({ settings: { maxWorkers: 'x' }, docker: 'docker', region: undefined });
  expect(found).toMatchObject([{ check: 'settings', state: 'fault', advice: expect.stringContaining('cdk.json') }]);
});
