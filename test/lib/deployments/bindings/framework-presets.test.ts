import { expect, it } from 'vitest';
import { presetOf } from '../../../../lib/deployments/bindings/framework-presets.ts';

it('a framework of npm is installed as locked, built by its own command and deployed by the script of the project', () => {
  const install = 'if [ -f package-lock.json ]; then npm ci; else npm install; fi';
  expect(presetOf('nextjs')).toEqual({ install, build: 'npx --no-install next build', deploy: 'npm run deploy' });
  expect(presetOf('sveltekit')?.build).toBe('npx --no-install vite build');
  expect(presetOf('django')?.deploy).toBe('.venv/bin/python manage.py migrate --noinput');
});

it.each([undefined, 'unknown', 'toString'])('the commands of %s are not known', (framework) => {
  expect(presetOf(framework)).toBeUndefined();
});
