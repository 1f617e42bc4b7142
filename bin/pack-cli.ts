import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { PACKED_NAMES } from '../lib/cli/dev/installation.ts';
import { bundleLocalRun } from '../lib/local/bundle-local-run.ts';
import { joinLicenses, licenseTexts } from '../lib/local/program/license-texts.ts';
import packageJson from '../package.json' with { type: 'json' };
import { modulesOf } from './pack/bundled-modules.ts';
import { declareClient, FOREIGN } from './pack/declarations.ts';

/**
 * `npm run pack:cli [-- FOLDER]`: bundles the command line, the client and the local run into `dist/promptq-VERSION.tgz`,
 * a package without dependencies. Node strips no types in installed packages, so it holds JavaScript.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const target = process.argv[2] ?? join(ROOT, 'dist');
const { version, license } = packageJson;

const folder = mkdtempSync(join(tmpdir(), 'promptq-pack-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** What programs import, and where its source is. */
const CLIENT = {
  client: 'lib/client/promptq.ts',
  errors: 'lib/client/errors.ts',
  webhook: 'lib/client/verify-webhook.ts',
};

const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: { promptq: 'bin/promptq.ts', ...CLIENT },
  outdir: join(folder, 'lib'),
  bundle: true,
  // Commands are loaded when they are used, which keeps `--help` quick.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.12',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  metafile: true,
  outExtension: { '.js': '.mjs' },
  banner: {
    js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
  },
  logLevel: 'warning',
});

// npm packs no file named package-lock.json.
const localRun = join(folder, 'local-run');
const local = await bundleLocalRun(ROOT, join(localRun, 'app'));
for (const [name, packed] of Object.entries(PACKED_NAMES))
  copyFileSync(join(ROOT, 'lib/local/packages', name), join(localRun, packed));

declareClient(ROOT, Object.values(CLIENT), join(folder, 'types'));
const exports = Object.fromEntries(
  Object.entries(CLIENT).map(([name, source]) => [
    `./${name}`,
    { types: `./types/${source.replace(/\.ts$/, '.d.ts')}`, default: `./lib/${name}.mjs` },
  ]),
);

writeFileSync(
  join(folder, 'package.json'),
  `${JSON.stringify(
    {
      name: 'promptq',
      version,
      description: 'Command line and client of Promptq, a queue for jobs of coding agents',
      license,
      type: 'module',
      engines: { node: '>=20.12' },
      bin: { promptq: 'lib/promptq.mjs' },
      exports,
      files: ['lib', 'types', 'local-run', 'LICENSES.txt'],
    },
    undefined,
    2,
  )}\n`,
);
writeFileSync(join(folder, 'LICENSE'), readFileSync(join(ROOT, 'LICENSE')));
// Of some packages only types are packed.
const declared = Object.keys(FOREIGN).map((name) => `node_modules/${name}/`);
const programs = licenseTexts(ROOT, [...modulesOf([metafile, local]), ...declared]);
const ofConsole = readFileSync(join(localRun, 'app/console/licenses.txt'), 'utf8');
writeFileSync(join(folder, 'LICENSES.txt'), joinLicenses([programs, ofConsole]));

mkdirSync(target, { recursive: true });
const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', target], { cwd: folder, encoding: 'utf8' });
if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`);
console.log(join(target, packed.stdout.trim()));
