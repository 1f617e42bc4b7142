import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import cdkJson from '../cdk.json' with { type: 'json' };
import { findConfigFile } from '../lib/catalog/find-config-file.ts';
import { builtConsole } from '../lib/local/program/console-build.ts';
import { readDeployment, SETTINGS_KEY } from '../lib/platform/config/deployment.ts';
import { addStacks } from '../lib/stacks/add-stacks.ts';
import { bundleFunctions, PUBLISH_CONSOLE } from '../lib/stacks/functions/bundle-functions.ts';
import packageJson from '../package.json' with { type: 'json' };

/** The CDK app: reads the settings, bundles the functions, builds the console and creates the stacks. */
const app = new App();
const deployment = readDeployment(app.node.tryGetContext(SETTINGS_KEY), cdkJson.context[SETTINGS_KEY]);
const root = fileURLToPath(new URL('..', import.meta.url));
const file = await findConfigFile(deployment.configFile, { folder: root, setting: `${SETTINGS_KEY}.configFile` });
const bundles = await bundleFunctions(fileURLToPath(new URL('../dist/functions', import.meta.url)));
const consoleFolder = join(bundles.folderOf(PUBLISH_CONSOLE), 'console');
rmSync(consoleFolder, { recursive: true, force: true });
cpSync(await builtConsole(), consoleFolder, { recursive: true });
addStacks(app, {
  deployment,
  version: packageJson.version,
  config: file?.document,
  codeOf: (functionId) => Code.fromAsset(bundles.folderOf(functionId)),
});
app.synth();
