import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { ConfigDocument } from '../../../../lib/contract/schemas/config.ts';
import { applyConfigEnv } from '../../../../lib/platform/config/function-env.ts';
import { readEnv } from '../../../../lib/platform/config/read-env.ts';
import { ConfigImport } from '../../../../lib/stacks/api/config-import.ts';
import { DataStack } from '../../../../lib/stacks/data/data-stack.ts';
import { APPLY_CONFIG } from '../../../../lib/stacks/functions/bundle-functions.ts';
import { codeOf, deployment, resourcesOf, standIns, testApp, VERSION } from '../synthesis.ts';
import { functionsById, roleGrants } from './api-methods.ts';

const TYPE = 'Custom::PromptqConfig';
const propertiesSchema = z.object({
  ServiceToken: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
  Bucket: z.unknown(),
  Key: z.string(),
  Digest: z.string(),
  ServiceTimeout: z.coerce.number(),
});

const app = testApp();
const data = new DataStack(app, 'data');
function stackWith(id: string, config: ConfigDocument, of = app): Stack {
  const stack = new Stack(of, id);
  new ConfigImport(stack, 'Config', { data, deployment: deployment(), version: VERSION, codeOf, document: config });
  return stack;
}
const text = 'x'.repeat(50_000);
const document: ConfigDocument = { rules: [{ id: 'long', text }] };
const stack = stackWith('applied', document);
const same = stackWith('same', structuredClone(document));
const changed = stackWith('changed', { rules: [{ id: 'long', text: 'y' }] });

function resourceOf(of: Stack) {
  const [resource] = resourcesOf(of, TYPE).values();
  return propertiesSchema.parse(resource?.Properties);
}

test('the document of a deployment is an asset named by its content, which our function applies', () => {
  const assembly = app.synth();
  const { Key, Digest, ServiceToken, ServiceTimeout } = resourceOf(stack);
  const apply = functionsById(stack).get(APPLY_CONFIG);
  expect(ServiceToken['Fn::GetAtt'][0]).toBe(apply?.logicalId);
  const env = readEnv(applyConfigEnv, standIns(apply?.environment ?? {}));
  expect(env).toMatchObject({ REGISTRY_TABLE: expect.any(String), PROMPTQ_SANDBOXES: ['none'] });
  // It must have time to say what went wrong, also when Lambda calls it again.
  expect(ServiceTimeout).toBeGreaterThan(3 * (apply?.timeout ?? 0));
  expect(Key).toBe(`${Digest}.json`);
  expect(JSON.parse(readFileSync(join(assembly.directory, `config.${Digest}.json`), 'utf8'))).toEqual(document);
  expect(JSON.stringify([...resourcesOf(stack, TYPE).values()])).not.toContain(text);
});

test('a document with a sandbox that Fargate cannot provide ends synthesis with the reason', () => {
  const sandboxed: ConfigDocument = { profiles: [{ name: 'review', agent: 'codex', sandbox: 'read-only' }] };
  const reason = /profiles\[0\]\.sandbox: received "read-only"; expected none: .*user namespaces/;
  expect(() => stackWith('sandboxed', sandboxed, testApp())).toThrow(reason);
});

test('the function may touch what an import touches and read that one asset, nothing else', () => {
  const { Key } = resourceOf(stack);
  const { grantsOf, onTable } = roleGrants(stack);
  expect(onTable(APPLY_CONFIG, 'Registry')).toMatchObject([
    {
      actions: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
      condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['catalog', 'rule', 'profile'] } },
    },
  ]);
  const others = grantsOf(APPLY_CONFIG).filter((grant) => !onTable(APPLY_CONFIG, 'Registry').includes(grant));
  expect(others).toMatchObject([{ actions: ['s3:GetObject'], resources: [expect.stringContaining(`/${Key}`)] }]);
  expect(others[0]?.resources[0]).not.toContain('*');
});

test('another document is another resource, the same is the same', () => {
  expect(resourceOf(changed).Digest).not.toBe(resourceOf(stack).Digest);
  expect(resourceOf(same).Digest).toBe(resourceOf(stack).Digest);
});
