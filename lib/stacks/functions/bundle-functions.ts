import { copyFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { doors } from '../../contract/routes/routes.ts';
import { leanContract } from './lean-contract.ts';
import { leanSdk } from './lean-sdk.ts';
import { objectsOnDemand, onDemand } from './on-demand.ts';

/** The function for every path and method without a route. */
export const NOT_FOUND = 'not-found.answer';

/** The functions that no client calls. */
export const TRIGGERS = [
  'triggers.count-jobs',
  'triggers.deliver-calls',
  'triggers.make-exports',
  'triggers.read-feed',
  'triggers.reconcile-jobs',
  'triggers.sweep-jobs',
] as const;

/** The function that launches workers. */
export const SCALE_WORKERS = 'triggers.scale-workers';

/** The function inside the workers' network. */
export const READ_LOGIN_CODE = 'triggers.read-login-code';

/** The function that imports a deployment's configuration. */
export const APPLY_CONFIG = 'triggers.apply-config';

/** The function that creates the origin secret. */
export const KEEP_ORIGIN_SECRET = 'triggers.keep-origin-secret';

/** The function that publishes the console. */
export const PUBLISH_CONSOLE = 'triggers.publish-console';

/** Every function, as `folder.file` under `functions`. */
export const FUNCTION_IDS: readonly string[] = [
  ...doors.map(({ id }) => id),
  NOT_FOUND,
  ...TRIGGERS,
  SCALE_WORKERS,
  READ_LOGIN_CODE,
  APPLY_CONFIG,
  KEEP_ORIGIN_SECRET,
  PUBLISH_CONSOLE,
];

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The path of a function's source, relative to the repository. */
export function sourceOf(functionId: string): string {
  return `functions/${functionId.replace('.', '/')}.ts`;
}

/** Modules that few requests need: each is a separate file, which a function loads at its first use. */
const ON_DEMAND = [
  'lib/platform/aws/parameters.ts',
  'lib/platform/aws/objects/object-requests.ts',
  'lib/platform/operations/emit-metrics.ts',
];

/** Folders whose modules only declare things, of which a function has what it uses. */
const DECLARING = ['lib/contract', 'lib/jobs/receipts'];

/** Functions that read or write objects in nearly every call: they have the S3 client in their bundle. */
const USING_OBJECTS: ReadonlySet<string> = new Set([
  'attachments.list',
  'attachments.read',
  'exports.delete',
  'exports.read',
  'files.list',
  'files.read',
  'jobs.delete-output',
  'jobs.logs',
  'jobs.record',
  'jobs.result',
  'jobs.session',
  'triggers.make-exports',
  'triggers.sweep-jobs',
  APPLY_CONFIG,
  PUBLISH_CONSOLE,
]);

/** The bundles of all functions. */
interface FunctionBundles {
  /** The folder of one function's `index.js`, and of what it loads on demand. */
  folderOf(functionId: string): string;
  /** What each file is made of; paths are relative to the repository. */
  readonly outputs: Metafile['outputs'];
}

/**
 * Bundles functions, each into a separate folder. CommonJS with a bundled SDK starts fastest (measured: 39 ms against
 * 55 ms as ES modules and 56 ms with Lambda's own SDK); the same sources give the same bytes.
 * @throws Error on any esbuild warning: `import.meta` in a CommonJS bundle is one, and fails at run time
 */
export async function bundleFunctions(outdir: string, ids: readonly string[] = FUNCTION_IDS): Promise<FunctionBundles> {
  const entries = (usesObjects: boolean) =>
    ids
      .filter((id) => USING_OBJECTS.has(id) === usesObjects)
      .map((id) => [`${folderName(id)}/index`, sourceOf(id)] as const);
  const metafiles = await Promise.all([
    bundle(outdir, {
      objects: 'on demand',
      entryPoints: [
        ...entries(false),
        ...ON_DEMAND.map((module) => [`on-demand/${basename(module, '.ts')}`, module] as const),
      ],
    }),
    bundle(outdir, { objects: 'in the bundle', entryPoints: entries(true) }),
  ]);
  const outputs = Object.assign({}, ...metafiles.map((metafile) => metafile.outputs)) as Metafile['outputs'];
  const folderOf = (functionId: string) => join(outdir, folderName(functionId));
  for (const id of ids) {
    const output = outputs[relative(ROOT, join(folderOf(id), 'index.js'))];
    for (const { path } of output?.imports.filter(({ external, path: file }) => external && file.startsWith('./')) ??
      [])
      copyFileSync(join(outdir, 'on-demand', path), join(folderOf(id), path));
  }
  return { outputs, folderOf };
}

async function bundle(
  outdir: string,
  options: {
    readonly objects: 'on demand' | 'in the bundle';
    readonly entryPoints: readonly (readonly [output: string, source: string])[];
  },
): Promise<Metafile> {
  const { metafile, warnings } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(options.entryPoints),
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    // `import()` of a function's own file would first load Node's loader of ES modules.
    supported: { 'dynamic-import': false },
    mainFields: ['module', 'main'],
    // Libraries look for these on other platforms; looking makes Node load all of them.
    define: { navigator: 'undefined', ReadableStream: 'undefined', Blob: 'undefined' },
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
    plugins: [
      ...(options.objects === 'on demand' ? [objectsOnDemand(ROOT)] : []),
      leanContract(ROOT, DECLARING),
      leanSdk,
      onDemand(ON_DEMAND.map((module) => join(ROOT, module))),
    ],
  });
  if (warnings.length > 0) throw new Error(`esbuild: ${warnings.map(({ text }) => text).join('; ')}`);
  return metafile;
}

/** Without a dot: the CDK would treat the rest as a file extension. */
function folderName(functionId: string): string {
  return functionId.replace('.', '-');
}
