import { expect, it } from 'vitest';
import { readBaseline } from '../../bench/quick/baseline.ts';
import { countRouteRequests } from '../../bench/requests/route-requests.ts';

it('a request of each main route calls AWS, and waits for it, as often as bench/quick/baseline.json states', async () => {
  const { requests, rounds } = readBaseline();
  expect(await countRouteRequests()).toEqual({ requests, rounds });
});
