import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { readDeployment, SETTINGS_KEY } from '../lib/config/deployment.ts';
import { addStacks } from '../lib/stacks/add-stacks.ts';
import { bundleFunctions } from '../lib/stacks/bundle-functions.ts';
import packageJson from '../package.json' with { type: 'json' };

/** The CDK app: reads the deployment's settings, bundles the functions, makes the stacks. */
const app = new App();
const deployment = readDeployment(app.node.tryGetContext(SETTINGS_KEY));
const bundles = bundleFunctions(fileURLToPath(new URL('../dist/functions', import.meta.url)));
addStacks(app, {
  deployment,
  version: packageJson.version,
  codeOf: (functionId) => Code.fromAsset(bundles.folderOf(functionId)),
});
app.synth();
