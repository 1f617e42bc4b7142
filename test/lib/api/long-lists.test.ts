import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { TokenStore } from '../../../lib/access/tokens/token-store.ts';
import { listBindings } from '../../../lib/contract/routes/deploy-bindings.ts';
import { listJobs } from '../../../lib/contract/routes/jobs.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { type Gateway, startGateway } from '../../../lib/local/gateway/gateway.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

/** Each character is four bytes of a response of Lambda, which contains the JSON escaped. */
const CWD = '"'.repeat(4_000);
/** Their list as one page would have more than the 6 MB that Lambda takes. */
const IDS = Array.from({ length: 400 }, (_, at) => jobIdOfKey(`long ${at}`));

let deployment: EmulatedDeployment;
let gateway: Gateway;
let authorization: string;
beforeAll(async () => {
  deployment = await emulateDeployment();
  for (const [name, value] of Object.entries(deployment.variables)) vi.stubEnv(name, value);
  const { token } = await new TokenStore(deployment.registry).create({ name: 'reader', scopes: ['read'] });
  authorization = `Bearer ${token}`;
  for (const id of IDS) await deployment.store({ id, status: 'DRAFT', reason: 'draft', cwd: CWD });
  gateway = await startGateway({
    port: 0,
    routes: [listJobs, listBindings],
    load: async (id) =>
      id === listBindings.id
        ? await import('../../../functions/deploy-bindings/list.ts')
        : await import('../../../functions/jobs/list.ts'),
    log: () => undefined,
  });
});
afterAll(async () => {
  await gateway.close();
  vi.unstubAllEnvs();
  await deployment.stop();
});

async function read(query: string) {
  const answer = await fetch(`${gateway.url}/api/v1/jobs?${query}`, { headers: { authorization } });
  const text = await answer.text();
  expect(answer.status, text.slice(0, 200)).toBe(200);
  return JSON.parse(text) as { items: { id: string }[]; next_cursor: string | null; limit: number };
}

it.each(['limit=500', 'limit=500&status=DRAFT', 'limit=400&project=local_project&order=oldest'])(
  'a page with long items ends early, with a cursor to the rest: %s',
  async (query) => {
    const found: string[] = [];
    const pages: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await read(`${query}${cursor && `&cursor=${cursor}`}`);
      expect(query).toContain(`limit=${page.limit}`);
      found.push(...page.items.map(({ id }) => id));
      pages.push(page.items.length);
      cursor = page.next_cursor;
    }
    expect(pages).toEqual([expect.any(Number), expect.any(Number)]);
    // The page is not shorter than need be.
    expect(pages[0]).toBeGreaterThan(250);
    expect(found.toSorted()).toEqual(IDS.toSorted());
  },
);
