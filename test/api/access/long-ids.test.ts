import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../../lib/contract/routes/routes.ts';
import { type ServiceUnderTest, startService } from '../../local-service.ts';

/** One byte more than a key of DynamoDB may have, in the second key of a table. */
const LONG = 'x'.repeat(1_025);

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const inPath = routes.filter(({ path, only }) => path.includes('{') && only === undefined);

test.each(inPath)('$id answers an id that no key can have with not found', async ({ method, path, body }) => {
  const url = path.replaceAll(/\{[^}]+\}/g, LONG);
  const { status, text } = await service.api(method, url, body === undefined ? undefined : {});
  expect(status, text).toBe(404);
  expect(text).toContain('not_found');
});
