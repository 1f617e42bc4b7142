import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const dockerfile = read('worker-container/Dockerfile');
const top = JSON.parse(read('package.json')) as {
  devDependencies: Record<string, string>;
  config: { claudeCode: string };
};
const manifest = JSON.parse(read('worker-container/vendor-clis/package.json')) as {
  optionalDependencies: Record<string, string>;
};
const lock = JSON.parse(read('worker-container/vendor-clis/package-lock.json')) as {
  packages: Record<string, { version: string; integrity?: string; resolved?: string; cpu?: string[]; link?: boolean }>;
};

const codex = top.devDependencies['@openai/codex'];
const claude = top.config.claudeCode;

test("the image's CLIs have the versions of package.json, for both processors", () => {
  expect(manifest.optionalDependencies).toEqual({
    '@anthropic-ai/claude-code-linux-arm64': claude,
    '@anthropic-ai/claude-code-linux-x64': claude,
    '@openai/codex-linux-arm64': `npm:@openai/codex@${codex}-linux-arm64`,
    '@openai/codex-linux-x64': `npm:@openai/codex@${codex}-linux-x64`,
  });
});

test('the lock file has each of them and no other package, with a hash and without a registry', () => {
  const { '': root, ...packages } = lock.packages;
  expect(root).toMatchObject({ optionalDependencies: manifest.optionalDependencies });
  const found = Object.entries(packages).map(([path, { version, cpu }]) => [path, version, cpu]);
  expect(found).toEqual([
    ['node_modules/@anthropic-ai/claude-code-linux-arm64', claude, ['arm64']],
    ['node_modules/@anthropic-ai/claude-code-linux-x64', claude, ['x64']],
    ['node_modules/@openai/codex-linux-arm64', `${codex}-linux-arm64`, ['arm64']],
    ['node_modules/@openai/codex-linux-x64', `${codex}-linux-x64`, ['x64']],
  ]);
  for (const { integrity, resolved } of Object.values(packages)) {
    expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    expect(resolved).toBeUndefined();
  }
});

test('the image installs from a registry only with a lock file, and runs no install scripts', () => {
  const installs = dockerfile.replaceAll(/^#.*$/gm, '').match(/\b(?:npm|npx|pnpm|yarn|corepack)\b.*/g) ?? [];
  expect(installs.length).toBeGreaterThan(0);
  for (const each of installs) expect(each).toMatch(/^npm ci --ignore-scripts\b/);
  expect(dockerfile).toContain(
    'COPY worker-container/vendor-clis/package.json worker-container/vendor-clis/package-lock.json',
  );
});
