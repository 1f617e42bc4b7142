import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };

/**
 * Locks the vendors' CLIs of the worker's image in the versions that package.json names: writes the manifest and the lock
 * file in worker-container/vendor-clis. The binaries of both processors are optional, so that npm installs one of them.
 */
const folder = fileURLToPath(new URL('../worker-container/vendor-clis/', import.meta.url));
const codex = packageJson.devDependencies['@openai/codex'];
const claude = packageJson.config.claudeCode;
const processors = ['arm64', 'x64'];
const manifest = {
  private: true,
  optionalDependencies: Object.fromEntries([
    ...processors.map((cpu) => [`@anthropic-ai/claude-code-linux-${cpu}`, claude]),
    ...processors.map((cpu) => [`@openai/codex-linux-${cpu}`, `npm:@openai/codex@${codex}-linux-${cpu}`]),
  ]),
};

writeFileSync(`${folder}package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved'], {
  cwd: folder,
  stdio: ['ignore', 'ignore', 'inherit'],
});
