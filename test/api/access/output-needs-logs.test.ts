import { beforeAll, expect, it } from 'vitest';
import type { Route } from '../../../lib/contract/route.ts';
import { routes } from '../../../lib/contract/routes/routes.ts';
import { SCOPES, type Scope } from '../../../lib/contract/scopes.ts';
import { signedInBrowser } from '../../local-run/browser.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { ASKING, importAsking } from '../follow-up-script.ts';
import { createJob, untilEnded } from '../job-client.ts';

/** What a command writes, and no prompt has. */
const WORD = 'PLANTED-BY-A-COMMAND';
const WRITES_IT = 'printf "PLANTED-BY-A-%s" COMMAND';

let service: ServiceUnderTest;
let id: string;
const tokens = new Map<Scope, string>();
beforeAll(async () => {
  service = await sharedService();
  const admin = await signedInBrowser(service, 'admin');
  for (const scope of SCOPES)
    tokens.set(scope, (await admin.api('POST', '/tokens', { name: scope, scopes: [scope] })).json.token);
  await importAsking(service);
  await service.api('POST', '/deploy-bindings', {
    binding_mode: 'custom',
    project: 'output-needs-logs',
    command: WRITES_IT,
  });
  const block = `printf '\\n\`\`\`follow-up-job\\n{"%s": 1}\\n\`\`\`\\n' "$(${WRITES_IT})"`;
  id = await createJob(service, { prompt: `${WRITES_IT}; ${block}`, profile: ASKING, project: 'output-needs-logs' });
  await untilEnded(service, id);
  await waitFor(async () => {
    const { json } = await service.api('GET', `/jobs/${id}`);
    const [deployment] = json.deployments;
    return deployment?.log?.includes(WORD) && JSON.stringify(json.warnings).includes(WORD);
  });
});

/** What the routes say to a token of a scope: by route, whether the word is in it. */
async function whereWord(scope: Scope): Promise<string[]> {
  const found: string[] = [];
  const calls = routes.filter(({ method, id: name }: Route) => method === 'GET' || name === 'jobs.reread-logs');
  for (const { id: name, method, path } of calls) {
    const target = path.replaceAll('{id}', id).replaceAll(/\{[a-z_+]+\}/g, 'none');
    const { text } = await service.api(method, target, undefined, { authorization: `Bearer ${tokens.get(scope)}` });
    if (text.includes(WORD)) found.push(name);
  }
  return found.toSorted();
}

it('only tokens with the scope logs see output of commands', async () => {
  expect(await whereWord('read')).toEqual([]);
  expect(await whereWord('write')).toEqual([]);
  expect(await whereWord('attachments')).toEqual([]);
  expect(await whereWord('logs')).toEqual(expect.arrayContaining(['jobs.logs', 'jobs.result']));
  expect(await whereWord('admin')).toEqual(expect.arrayContaining(['jobs.logs', 'jobs.read', 'jobs.reread-logs']));
});
