import { expect, it } from 'vitest';
import { requestLimits } from '../../../../lib/platform/aws/request-limits.ts';

it('requests end in time: four tries within the 29 seconds of an API function, or a minute for what holds an object', () => {
  const { httpAgent, ...limits } = requestLimits();
  expect(limits).toEqual({ connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true });
  expect(requestLimits('objects')).toMatchObject({ connectionTimeout: 2_000, requestTimeout: 60_000 });
  expect(requestLimits().httpAgent).toBe(httpAgent);
  expect([httpAgent.maxSockets, requestLimits('objects').httpAgent.maxSockets]).toEqual([32, 128]);
  for (const { httpAgent: agent } of [requestLimits(), requestLimits('objects')])
    expect(agent).toMatchObject({ maxFreeSockets: 8, options: { keepAlive: true, timeout: 5_000 } });
});
