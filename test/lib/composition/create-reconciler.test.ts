import { expect, test } from 'vitest';
import { createReconciler } from '../../../lib/composition/create-reconciler.ts';
import { objectClient, queueClient, tableClient } from '../../../lib/platform/aws/clients.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

test('jobs that wait for their vendor are probed as often as the settings say, in seconds', () => {
  const { env } = quietDeployment();
  const probes = { PROMPTQ_USAGE_PROBE_SECONDS: 7, PROMPTQ_OVERLOAD_PROBE_SECONDS: 3 };
  const settings = { ...env, ...probes, PROMPTQ_ACCOUNT_PROBE_SECONDS: 45 };
  const clients = { ...tableClient(), objects: objectClient({ pathStyle: true }), queues: queueClient() };
  const { probeEvery } = createReconciler({ env: settings, ...clients });
  expect(probeEvery).toEqual({ account_required: 45_000, usage_limit: 7_000, vendor_overloaded: 3_000 });
});
