import { Stack } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { ConfigDocument } from '../../../../lib/contract/schemas/config.ts';
import { ConfigImport } from '../../../../lib/stacks/api/config-import.ts';
import { DataStack } from '../../../../lib/stacks/data/data-stack.ts';
import { APPLY_CONFIG } from '../../../../lib/stacks/functions/bundle-functions.ts';
import { codeOf, deployment, resourcesOf, testApp, VERSION } from '../synthesis.ts';
import { roleGrants } from './api-methods.ts';

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

function resourceOf(of: Stack) {
  const [resource] = resourcesOf(of, TYPE).values();
  return propertiesSchema.parse(resource?.Properties);
}

test('a document with a sandbox that Fargate cannot provide ends synthesis with the reason', () => {
  const sandboxed: ConfigDocument = { profiles: [{ name: 'review', agent: 'codex', sandbox: 'read-only' }] };
  const reason = /profiles\[0\]\.sandbox: received "read-only"; expected none: .*user namespaces/;
  expect(() => stackWith('sandboxed', sandboxed, testApp())).toThrow(reason);
});

const KINDS = ['catalog', 'rule', 'profile', 'template', 'template_version#*'];

test('the function has the rights of an import and may read its one asset', () => {
  const { Key } = resourceOf(stack);
  const { grantsOf, onTable } = roleGrants(stack);
  expect(onTable(APPLY_CONFIG, 'Registry')).toMatchObject([
    {
      actions: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
      condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': KINDS } },
    },
  ]);
  const others = grantsOf(APPLY_CONFIG).filter((grant) => !onTable(APPLY_CONFIG, 'Registry').includes(grant));
  expect(others).toMatchObject([{ actions: ['s3:GetObject'], resources: [expect.stringContaining(`/${Key}`)] }]);
  expect(others[0]?.resources[0]).not.toContain('*');
});
