import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { compileFunction } from 'node:vm';
import type { CloudFormationStackArtifact } from 'aws-cdk-lib/cx-api';
import * as z from 'zod';

const require = createRequire(import.meta.url);
const PROGRAM = require.resolve('aws-cdk/package.json').replace(/package\.json$/, 'lib/index.js');

type CanSkipDeploy = (
  options: object,
  deployed: object,
  parameterChanges: unknown,
  ioHelper: object,
) => Promise<boolean>;
const exportsSchema = z.object({
  canSkipDeploy: z.custom<CanSkipDeploy>((value) => typeof value === 'function'),
  TemplateParameters: z.object({
    fromTemplate: z.custom<
      (template: unknown) => {
        updateExisting(
          updates: object,
          previous: Readonly<Record<string, string>>,
        ): { hasChanges(current: Readonly<Record<string, string>>): unknown };
      }
    >((value) => typeof value === 'function'),
  }),
});

/** The CDK CLI's own functions, which its package bundles and doesn't export. */
const cli = loadCli();

function loadCli(): z.output<typeof exportsSchema> {
  const source = readFileSync(PROGRAM, 'utf8');
  const ending = 'init_cfn_api(); init_deploy_stack(); module.exports = { canSkipDeploy, TemplateParameters };';
  const module: { exports: unknown } = { exports: {} };
  const names = ['exports', 'require', 'module', '__filename', '__dirname'];
  compileFunction(`${source}\n${ending}`, names, { filename: PROGRAM }).call(
    module.exports,
    module.exports,
    createRequire(PROGRAM),
    module,
    PROGRAM,
    dirname(PROGRAM),
  );
  // A class has `fromTemplate`, but is no plain object.
  const loaded = z.object({ canSkipDeploy: z.unknown(), TemplateParameters: z.unknown() }).parse(module.exports);
  const TemplateParameters = loaded.TemplateParameters as z.output<typeof exportsSchema>['TemplateParameters'];
  return exportsSchema.parse({
    canSkipDeploy: loaded.canSkipDeploy,
    TemplateParameters: { fromTemplate: TemplateParameters.fromTemplate.bind(TemplateParameters) },
  });
}

/** Whether `cdk deploy` takes a stack for unchanged that was deployed from the same app before. */
export async function isSkipped(stack: CloudFormationStackArtifact): Promise<boolean> {
  const parameters = z
    .record(z.string(), z.object({ Default: z.string() }))
    .parse((stack.template as { Parameters?: unknown }).Parameters ?? {});
  const current = Object.fromEntries(Object.entries(parameters).map(([name, { Default }]) => [name, Default]));
  const tags = Object.entries(stack.tags).map(([Key, Value]) => ({ Key, Value }));
  const deployed = {
    exists: true,
    template: async () => await Promise.resolve(structuredClone(stack.template)),
    tags,
    notificationArns: [],
    terminationProtection: stack.terminationProtection,
    parameters: current,
    stackStatus: { isFailure: false },
  };
  const changes = cli.TemplateParameters.fromTemplate(stack.template).updateExisting({}, current).hasChanges(current);
  const resolvedEnvironment = { account: '111122223333', region: 'us-east-1' };
  const debug = async () => await Promise.resolve();
  return await cli.canSkipDeploy({ stack, tags, resolvedEnvironment }, deployed, changes, { defaults: { debug } });
}
