import { beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

const set = async (project: string, name: string, body: Record<string, unknown>) =>
  await service.api('PUT', `/parameters/${name}?project=${project}`, body);
const remove = async (project: string, name: string) =>
  await service.api('DELETE', `/parameters/${name}?project=${project}`);
const list = async (project: string) => (await service.api('GET', `/parameters?project=${project}`)).json.items;

async function stdoutOf(project: string, prompt: string): Promise<string> {
  const id = await createJob(service, { prompt, profile: 'shell', project });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  return (await service.api('GET', `/jobs/${id}/result`)).json.stdout;
}

it('a parameter is created with its project, changed, kept as it is, and deleted', async () => {
  const project = 'parameters-crud';
  expect(await list(project)).toEqual([]);
  const made = await set(project, 'region', { value: 'eu', description: 'where it runs' });
  expect([made.status, made.json]).toMatchObject([
    201,
    {
      ...{ name: 'region', value: 'eu', description: 'where it runs', variable: 'PROMPTQ_PARAM_REGION' },
      ...{ project_id: project, project },
    },
  ]);
  const changed = await set(project, 'region', { value: 'us' });
  expect([changed.status, changed.json]).toMatchObject([200, { value: 'us', description: 'where it runs' }]);
  const same = await set(project, 'region', { value: 'us' });
  expect([same.status, same.json]).toEqual([200, changed.json]);
  expect((await set(project, 'region', { value: 'us', description: '' })).json.description).toBeNull();
  await set(project, 'a', { value: '' });
  expect((await list(project)).map(({ name, value }: Record<string, string>) => [name, value])).toEqual([
    ['a', ''],
    ['region', 'us'],
  ]);
  expect((await remove(project, 'region')).json).toMatchObject({ name: 'region', value: 'us' });
  expect((await remove(project, 'region')).status).toBe(404);
  expect((await remove('no-such-project', 'region')).status).toBe(404);
  for (const name of ['Region', 'constructor', 'no-such-thing']) expect((await remove(project, name)).status).toBe(404);
  expect((await list(project)).length).toBe(1);
});

it('parameters that are set at once are all kept', async () => {
  const names = Array.from({ length: 12 }, (_, n) => `p${String(n).padStart(2, '0')}`);
  const answers = await Promise.all(names.map(async (name) => await set('parameters-at-once', name, { value: name })));
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
  expect((await list('parameters-at-once')).map(({ name }: { name: string }) => name)).toEqual(names);
});

it('jobs get the values of their start, in their commands and in those of deploy bindings, and no other project does', async () => {
  const project = 'parameters-given';
  const hostile = `$(touch /tmp/x) "'\`\n{{other}} \u001b[31m`;
  await set(project, 'region', { value: 'eu' });
  await set(project, 'text', { value: hostile });
  const show = 'printf %s "$PROMPTQ_PARAM_TEXT"; printf ";%s" "$(printenv PROMPTQ_PARAM_REGION || echo none)"';
  expect(await stdoutOf(project, show)).toBe(`${hostile};eu`);
  await set(project, 'region', { value: 'us' });
  expect(await stdoutOf(project, show)).toBe(`${hostile};us`);
  await remove(project, 'region');
  expect(await stdoutOf(project, show)).toBe(`${hostile};none`);
  expect(await stdoutOf('parameters-elsewhere', 'env')).not.toContain('PROMPTQ_PARAM_');
  await set(project, 'region', { value: 'ap' });
  const command = 'echo "deployed to $PROMPTQ_PARAM_REGION"';
  await service.api('POST', '/deploy-bindings', { binding_mode: 'custom', project, command });
  const id = await createJob(service, { prompt: 'true', profile: 'shell', project });
  const deployed = await waitFor(async () => {
    const [one] = (await service.api('GET', `/jobs/${id}`)).json.deployments;
    return one?.state === 'succeeded' && one;
  });
  expect(JSON.stringify(deployed)).toContain('deployed to ap');
});

it('an agent and the commands that it runs get them too', async () => {
  await set('parameters-agent', 'cache_key', { value: 'node-22' });
  const prompt = 'drill: tool printenv PROMPTQ_PARAM_CACHE_KEY';
  const id = await createJob(service, { prompt, profile: 'practice', project: 'parameters-agent' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  expect((await service.api('GET', `/jobs/${id}/result`)).json.stdout).toContain('node-22');
});

it('what looks like a secret is refused, without the value in the answer, and creates no project', async () => {
  const project = 'parameters-secret';
  const value = ['ghp', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('_');
  const refusals = [await set(project, 'db_password', { value: 'hunter2' }), await set(project, 'thing', { value })];
  expect(refusals.map(({ status }) => status)).toEqual([400, 400]);
  expect(refusals.map(({ json }) => json.error)).toEqual([
    expect.stringMatching(/^body\.value: "db_password" names a secret; .* docs\/guide\/rules-profiles-secrets\.md/),
    expect.stringMatching(/^body\.value: the value looks like a token of GitHub; .* Store a secret by name/),
  ]);
  expect(refusals.map(({ text }) => text).join()).not.toMatch(/hunter2|ghp_/);
  const { items } = (await service.api('GET', '/projects')).json;
  expect(items.map(({ name }: { name: string }) => name)).not.toContain(project);
});

it.each<[string, object, unknown]>([
  [
    'Region',
    { value: 'eu' },
    'path.name: received "Region" (string); expected 1 to 64 of a-z, 0-9 and _, a letter first',
  ],
  ['region', {}, 'body.value: is missing; expected string'],
  ['region', { value: 5 }, 'body.value: received 5 (number); expected string'],
  ['region', { value: 'a\0b' }, 'body.value: received "a\\u0000b" (string); expected text without NUL'],
  ['region', { value: 'x'.repeat(4097) }, expect.stringMatching(/expected a length of at most 4096$/)],
  ['region', { text: 1 }, 'body: unknown "text"; allowed: value, description (and 1 more: details.faults)'],
])('PUT %s is refused (%#)', async (name, body, error) => {
  const { status, json } = await set('parameters-faults', name, { ...body });
  expect([status, json.error]).toEqual([400, error]);
});

it('a project has a limited number of parameters, and a limited length of them all', async () => {
  const { perProject, valueLength, totalBytes } = LIMITS.parameters;
  for (let n = 0; n < perProject; n += 1) await set('parameters-many', `p${n}`, { value: '' });
  expect((await set('parameters-many', 'one_more', { value: '' })).json.error).toBe(
    `body: the project has ${perProject} parameters already, the most that are allowed`,
  );
  expect((await set('parameters-many', 'p0', { value: 'another' })).status).toBe(200);
  const longest = 'ä '.repeat(valueLength / 2);
  const answers = [];
  for (let n = 0; n < 6; n += 1) answers.push(await set('parameters-long', `p${n}`, { value: longest }));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 400]);
  expect(answers.at(-1)?.json.error).toMatch(
    new RegExp(`^body\\.value: received a text with which .* have \\d+ bytes; ${totalBytes} are allowed$`),
  );
});

it('they are deleted with their project, and a project of the same name begins without', async () => {
  const project = 'parameters-deleted';
  await set(project, 'region', { value: 'eu' });
  expect((await service.api('DELETE', `/projects/${project}`)).status).toBe(200);
  expect(await list(project)).toEqual([]);
  await service.api('PATCH', `/projects/${project}?create=1`, { ref: 'main' });
  expect(await list(project)).toEqual([]);
});

it('a change of the settings of a project leaves its parameters, and the other way round', async () => {
  const project = 'parameters-beside';
  await set(project, 'region', { value: 'eu' });
  await service.api('PATCH', `/projects/${project}`, { ref: 'main' });
  await set(project, 'region', { value: 'us' });
  expect((await list(project)).length).toBe(1);
  expect((await service.api('PATCH', `/projects/${project}`, {})).json.ref).toBe('main');
});

it('the audit log names project and parameter, and never a value', async () => {
  const project = 'parameters-audited';
  await set(project, 'region', { value: 'eu-value' });
  await set(project, 'db_password', { value: 'hunter2' });
  await remove(project, 'region');
  const { json, text } = await service.api('GET', '/audit-logs?limit=500');
  const rows = json.items.filter(({ target }: { target?: { project?: string } }) => target?.project === project);
  expect(rows.map(({ action, target, status }: Record<string, unknown>) => [action, target, status])).toEqual([
    ['parameters.delete', { project, name: 'region' }, 200],
    ['parameters.write', { project, name: 'db_password' }, 400],
    ['parameters.write', { project, name: 'region' }, 201],
  ]);
  expect(text).not.toMatch(/hunter2|eu-value/);
});
