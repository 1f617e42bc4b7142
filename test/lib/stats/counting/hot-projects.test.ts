import { afterAll, beforeAll, expect, it } from 'vitest';
import { HotProjects } from '../../../../lib/stats/counting/hot-projects.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it.each([
  ['a minute', 60, true],
  ['more than a minute', 61, false],
  ['less than five seconds', 4, false],
])('a count after %s says whether a project is hot: %d s, %s', async (name, seconds, isHot) => {
  const { projects, registry, projectSettings } = deployment;
  const { id } = await projects.resolve(name);
  const hot = new HotProjects(registry);
  const start = Date.parse('2026-11-20T10:00:00.000Z');
  for (const after of [0, seconds])
    await hot.note({ id, active_at: new Date(start + 1_000 * after).toISOString(), n_QUEUED: 1_000 * after });
  expect(await projectSettings.isSpread(id)).toBe(isHot);
});
