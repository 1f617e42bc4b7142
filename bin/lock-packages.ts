import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };

/**
 * Locks what is installed outside of the repository, in the versions that package.json names: the vendors' CLIs of the
 * worker's image, and the packages that `promptq dev` installs. Writes a manifest and a lock file in each folder. Binaries
 * for several platforms are optional, so that npm installs one of them.
 */
const { devDependencies, optionalDependencies, config } = packageJson;
const PROCESSORS = ['arm64', 'x64'];
const codexFor = (system: 'linux' | 'darwin') =>
  PROCESSORS.map((cpu) => [
    `@openai/codex-${system}-${cpu}`,
    `npm:@openai/codex@${devDependencies['@openai/codex']}-${system}-${cpu}`,
  ]);

lock('../worker-container/vendor-clis/', {
  optionalDependencies: Object.fromEntries([
    ...PROCESSORS.map((cpu) => [`@anthropic-ai/claude-code-linux-${cpu}`, config.claudeCode]),
    ...codexFor('linux'),
  ]),
});
lock('../lib/local/packages/', {
  dependencies: { fauxqs: devDependencies.fauxqs },
  optionalDependencies: Object.fromEntries([
    ...Object.entries(optionalDependencies),
    ...PROCESSORS.map((cpu) => [`node-linux-${cpu}`, devDependencies.node]),
    ...codexFor('darwin'),
    ...codexFor('linux'),
  ]),
});

function lock(path: string, manifest: object): void {
  const folder = fileURLToPath(new URL(path, import.meta.url));
  writeFileSync(`${folder}package.json`, `${JSON.stringify({ private: true, ...manifest }, null, 2)}\n`);
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
