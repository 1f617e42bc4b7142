import { execFileSync } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { routes } from '../../../lib/contract/routes/routes.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

it('the platform names its version, agents with their versions, limits, stores, and what is on', async () => {
  const platform = await waitFor(async () => {
    const { json } = await service.api('GET', '/platform');
    return json.agents.some(({ versions }: { versions: string[] }) => versions.length > 0) && json;
  });
  expect(platform).toMatchObject({
    ...{ version: packageJson.version, region: 'local' },
    commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim(),
    limits: {
      parameters: { per_project: LIMITS.parameters.perProject },
      status_wait_seconds: LIMITS.statusWaitSeconds,
    },
  });
  expect(JSON.stringify(platform.limits)).not.toMatch(/"[a-z_]+[A-Z]/);
  const agents = Object.fromEntries(platform.agents.map(({ name, ...agent }: { name: string }) => [name, agent]));
  const without = { schema: false, gateway: false };
  expect(agents).toMatchObject({
    codex: {
      installed: true,
      versions: [packageJson.devDependencies['@openai/codex']],
      capabilities: { resume: true, steer: true, ask: true, ...without },
    },
    shell: {
      ...{ installed: true, versions: [], max_prompt_length: null },
      capabilities: { resume: false, steer: false, ask: false, ...without },
    },
  });
  const on = Object.fromEntries(platform.features.map(({ name, on: is }: { name: string; on: boolean }) => [name, is]));
  expect(on).toMatchObject({ 'practice-vendor': true, 'deploy-commands': true, cloudfront: false, telegram: false });
  expect(platform.stores.map(({ region }: { region: string }) => region)).toEqual(['local', 'local', 'local', 'local']);
});

it('a model that a profile names is listed, and no price is made up', async () => {
  const profiles = [{ name: 'of-the-platform', agent: 'codex', vendor: 'practice', model: 'model-of-the-platform' }];
  await service.api('POST', '/config/import', { profiles });
  const { models } = (await service.api('GET', '/platform')).json;
  expect(models).toContainEqual({ name: 'model-of-the-platform', price: null });
});

it('nothing that has routes is missing', async () => {
  const { missing } = (await service.api('GET', '/platform')).json;
  const families = new Set(routes.map(({ path }) => path.split('/')[1]));
  expect(missing.filter(({ name }: { name: string }) => families.has(name))).toEqual([]);
  expect(missing.every(({ reason }: { reason: string }) => /^[A-Z].*\.$/.test(reason))).toBe(true);
});
