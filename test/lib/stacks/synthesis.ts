import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, NestedStack, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { DISABLE_ASSET_STAGING_CONTEXT } from 'aws-cdk-lib/cx-api';
import { afterAll } from 'vitest';
import * as z from 'zod';
import { type Deployment, readDeployment, SETTINGS_KEY } from '../../../lib/platform/config/deployment.ts';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const VERSION = '1.2.3';

const cdkJson = z.object({ context: z.record(z.string(), z.unknown()) });
const { context } = cdkJson.parse(JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')));

/** The settings that cdk.json has, with some changed. */
export function deployment(changed: Record<string, unknown> = {}): Deployment {
  return readDeployment({ ...z.record(z.string(), z.unknown()).parse(context[SETTINGS_KEY]), ...changed });
}

/**
 * An app with the feature flags of cdk.json; it writes into a folder that goes after the tests of the file, without copies
 * of its assets. To be called outside of tests.
 * @param options.validates checks the templates by CloudFormation's rules, as `cdk synth` does; it takes as long as the rest
 */
export function testApp({ validates = false } = {}): App {
  const outdir = mkdtempSync(join(tmpdir(), 'promptq-synth-'));
  afterAll(() => rmSync(outdir, { recursive: true, force: true }));
  const staging = { [DISABLE_ASSET_STAGING_CONTEXT]: true };
  return new App({ context: { ...context, ...staging }, outdir, builtinCloudFormationValidation: validates });
}

/** A placeholder of a function's bundle, with the function's name. */
export function codeOf(functionId: string): Code {
  return Code.fromInline(functionId);
}

const resourceSchema = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
  DependsOn: z.array(z.string()).optional(),
});
export type SynthesizedResource = z.output<typeof resourceSchema>;

/** The resources of a stack without those of its nested stacks, by logical id; of one type if it is given. */
export function ownResourcesOf(stack: Stack, type?: string): Map<string, SynthesizedResource> {
  const template = z
    .object({ Resources: z.record(z.string(), resourceSchema) })
    .parse(Template.fromStack(stack).toJSON());
  return new Map(Object.entries(template.Resources).filter(([, { Type }]) => type === undefined || Type === type));
}

/** The stacks within a stack. */
export function nestedStacksOf(stack: Stack): NestedStack[] {
  return stack.node.findAll().filter((one) => one instanceof NestedStack && one !== stack) as NestedStack[];
}

/** The resources of a stack and of its nested stacks, by logical id, which is never used twice; of one type if it is given. */
export function resourcesOf(stack: Stack, type?: string): Map<string, SynthesizedResource> {
  const all = [stack, ...nestedStacksOf(stack)].flatMap((one) => [...ownResourcesOf(one, type)]);
  const byId = new Map(all);
  if (byId.size < all.length) throw new Error('two nested stacks use a logical id');
  return byId;
}

/** The properties of a stack's one resource of a type. @throws Error if it has none, or several. */
export function propertiesOfOnly(stack: Stack, type: string): Record<string, unknown> {
  const [found, ...others] = resourcesOf(stack, type).values();
  if (found === undefined || others.length > 0) throw new Error(`the stack has not one resource ${type}`);
  return found.Properties;
}

/** Stands for what only the deployment knows. */
function standIn(name: string): string {
  return name.endsWith('_DIGESTS') ? 'a'.repeat(64) : 'https://stand.in/name';
}

/** An environment as the process would see it, with stand-ins for what only the deployment knows. */
export function standIns(variables: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, typeof value === 'string' ? value : standIn(name)]),
  );
}

/** One statement of a policy, its members always lists. */
export interface Statement {
  readonly effect: string;
  readonly actions: readonly string[];
  /** As JSON, when they are no plain strings. */
  readonly resources: readonly string[];
  readonly condition: unknown;
}

const oneOrMany = z.union([z.array(z.unknown()), z.unknown().transform((value) => [value])]);
const statementSchema = z
  .object({ Effect: z.string(), Action: oneOrMany, Resource: oneOrMany.optional(), Condition: z.unknown().optional() })
  .transform(
    (statement): Statement => ({
      effect: statement.Effect,
      actions: statement.Action.map(String),
      resources: (statement.Resource ?? []).map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
      condition: statement.Condition,
    }),
  );
export const policyDocument = z.object({ Statement: z.array(statementSchema) });

/** All statements by which a stack's roles are allowed something. */
export function roleStatements(stack: Stack): Map<string, Statement[]> {
  const inline = z.object({ Policies: z.array(z.object({ PolicyDocument: policyDocument })).default([]) });
  const attached = z.object({ PolicyDocument: policyDocument });
  const roles = [...resourcesOf(stack, 'AWS::IAM::Role')].map(
    ([id, { Properties }]) =>
      [id, inline.parse(Properties).Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)] as const,
  );
  const policies = [...resourcesOf(stack, 'AWS::IAM::Policy')].map(
    ([id, { Properties }]) => [id, attached.parse(Properties).PolicyDocument.Statement] as const,
  );
  return new Map([...roles, ...policies]);
}
