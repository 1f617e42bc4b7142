import { beforeAll, expect, test } from 'vitest';
import {
  describeAsRoot,
  newFirstUid,
  UNDER_WORKER_RIGHTS,
} from '../../../worker-container/service-accounts/as-root.ts';
import { hunt } from './hunt.ts';

describeAsRoot('with accounts for its slots, as in the cloud', () => {
  let found: string[];
  beforeAll(async () => {
    found = await hunt({ PROMPTQ_SLOT_UID: String(newFirstUid()) }, UNDER_WORKER_RIGHTS);
  });

  test("a hostile job doesn't find any of eight secrets", () => expect(found).toEqual([]));
});
