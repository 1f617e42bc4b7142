import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { presetOf } from '../../../lib/bindings/framework-presets.ts';

/** What the commands of a preset call in a project with these files, by programs that only write down their arguments. */
function calls(framework: string, files: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'promptq-preset-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const preset = presetOf(framework);
  for (const file of files) writeFileSync(join(folder, file), '');
  const named = ['npm', 'npx', 'pnpm', 'yarn', 'bun', 'uv', 'poetry', 'pipenv', 'python3'];
  const stubs = named.map((name) => `${name}() { echo "${name} $*" >> calls; }`).join('\n');
  for (const command of [preset?.install, preset?.build, preset?.deploy])
    execFileSync('bash', ['-c', `${stubs}\n${command}`], { cwd: folder, stdio: 'ignore' });
  return readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n');
}

it.each([
  ['vite', [], ['npm install', 'npx --no-install vite build', 'npm run deploy']],
  ['vite', ['package-lock.json'], ['npm ci', 'npx --no-install vite build', 'npm run deploy']],
  ['nextjs', ['npm-shrinkwrap.json'], ['npm ci', 'npx --no-install next build', 'npm run deploy']],
  ['astro', ['pnpm-lock.yaml'], ['pnpm install --frozen-lockfile', 'pnpm exec astro build', 'pnpm run deploy']],
  ['sveltekit', ['yarn.lock'], ['yarn install --frozen-lockfile', 'yarn run vite build', 'yarn run deploy']],
  ['nuxt', ['yarn.lock', '.yarnrc.yml'], ['yarn install --immutable', 'yarn run nuxt build', 'yarn run deploy']],
  ['angular', ['bun.lock'], ['bun install --frozen-lockfile', 'bun run ng build', 'bun run deploy']],
  ['angular', ['bun.lockb'], ['bun install --frozen-lockfile', 'bun run ng build', 'bun run deploy']],
  ...(
    [
      ['uv.lock', 'uv sync --frozen', 'uv run --frozen'],
      ['poetry.lock', 'poetry install --no-interaction', 'poetry run'],
      ['Pipfile.lock', 'pipenv sync', 'pipenv run'],
    ] as const
  ).map(
    ([file, install, run]) =>
      [
        'django',
        [file],
        [install, `${run} python manage.py collectstatic --noinput`, `${run} python manage.py migrate --noinput`],
      ] as [string, string[], string[]],
  ),
])('a project of %s with %j is installed, built and deployed by the tool of its lock file', (name, files, expected) => {
  expect(calls(name, files)).toEqual(expected);
});

it.each([undefined, 'unknown', 'toString'])('the commands of %s are not known', (framework) => {
  expect(presetOf(framework)).toBeUndefined();
});
