import { expect, it } from 'vitest';
import { countRouteRequests } from '../../bench/route-requests.ts';

const CREATED = { GetItem: 1, BatchGetItem: 1, PutItem: 2, SendMessage: 1 };
/** The first GetItem of every request reads its token; the PutItem of an action is its audit row. */
const OUTPUT = { GetItem: 2, GetObject: 2, HeadObject: 3, ListObjectsV2: 1 };

it('a request of each main route calls AWS as often as stated here', async () => {
  expect(await countRouteRequests()).toEqual({
    'POST /jobs': CREATED,
    'POST /jobs, a draft': { GetItem: 1, BatchGetItem: 1, PutItem: 2 },
    'POST /jobs, with an idempotency key': { ...CREATED, GetItem: 2 },
    'POST /jobs, with a known idempotency key': { GetItem: 2, BatchGetItem: 1 },
    'GET /jobs': { GetItem: 2, BatchGetItem: 1, Query: 2 },
    'GET /jobs/{id}, ended': { GetItem: 3, Query: 2 },
    'GET /jobs/{id}/status, ended': { GetItem: 2 },
    'GET /jobs/{id}/status, waiting': { GetItem: 3 },
    'GET /jobs/{id}/logs, ended': OUTPUT,
    'GET /jobs/{id}/result, ended': OUTPUT,
    'POST /jobs/{id}/retry': { GetItem: 4, Query: 2, PutItem: 1, UpdateItem: 1, SendMessage: 1 },
    'POST /jobs/{id}/cancel, waiting': { GetItem: 3, Query: 2, PutItem: 1, UpdateItem: 1 },
  });
});
