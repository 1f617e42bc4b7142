import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, NestedStack, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import * as z from 'zod';
import { readDeployment, SETTINGS_KEY } from '../../lib/platform/config/deployment.ts';
import { addStacks } from '../../lib/stacks/add-stacks.ts';

const resourceSchema = z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) });
export type Resource = z.output<typeof resourceSchema>;

const templateSchema = z.object({ Resources: z.record(z.string(), resourceSchema) });

/** The resources of a deployment as cdk.json has it, by their logical ids, all stacks and nested stacks together. */
export function synthesizedResources(): Map<string, Resource> {
  const { context } = z
    .object({ context: z.record(z.string(), z.unknown()) })
    .parse(JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8')));
  const outdir = mkdtempSync(join(tmpdir(), 'promptq-synth-'));
  try {
    // `npm run synth` validates the same templates.
    const app = new App({ context, outdir, builtinCloudFormationValidation: false });
    const stacks = addStacks(app, {
      deployment: readDeployment(context[SETTINGS_KEY]),
      version: '0.0.0',
      codeOf: (functionId) => Code.fromInline(functionId),
    });
    const resources = Object.values(stacks)
      .flatMap(withNestedStacks)
      .map((stack) => templateSchema.parse(Template.fromStack(stack).toJSON()));
    return new Map(resources.flatMap(({ Resources }) => Object.entries(Resources)));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function withNestedStacks(stack: Stack): Stack[] {
  return [stack, ...stack.node.findAll().filter((one) => one instanceof NestedStack)];
}
