import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * An esbuild plugin by which the SDK's clients read credentials only from the environment, where Lambda puts those of a
 * function's role. The other sources (profiles, single sign-on, metadata of a machine) do not exist there.
 */
export const lambdaCredentials: Plugin = {
  name: 'lambda-credentials',
  setup(build) {
    build.onResolve({ filter: /^@aws-sdk\/credential-provider-node$/ }, ({ path, importer }) => ({
      path,
      namespace: 'lambda-credentials',
      pluginData: dirname(importer),
    }));
    build.onLoad({ filter: /./, namespace: 'lambda-credentials' }, ({ pluginData }) => ({
      contents: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
      resolveDir: pluginData as string,
    }));
  },
};
