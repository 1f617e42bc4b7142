import { describe, expect, test } from 'vitest';
import { ApiStack } from '../../../../lib/stacks/api/api-stack.ts';
import { DataStack } from '../../../../lib/stacks/data/data-stack.ts';
import { codeOf, deployment, resourcesOf, testApp, VERSION } from '../synthesis.ts';

/** What a deployment has for a version of the origin's secret. */
function keysAt(originSecretVersion: number) {
  const app = testApp();
  const data = new DataStack(app, 'data');
  const stack = new ApiStack(app, 'api', {
    data,
    deployment: deployment({ originSecretVersion }),
    version: VERSION,
    codeOf,
  });
  const keys = resourcesOf(stack, 'AWS::ApiGateway::ApiKey');
  const places = resourcesOf(stack, 'AWS::ApiGateway::UsagePlanKey');
  const sources = [...resourcesOf(stack, 'Custom::PromptqOriginSecret')].filter(
    ([, { Properties }]) => Properties.Brings === 'gateway-key',
  );
  return { stack, keys, places, sources: new Map(sources) };
}

const [first, second, third] = [keysAt(1), keysAt(2), keysAt(3)];

describe('the keys of API Gateway', () => {
  test('are in no template: a custom resource provides each without showing it', () => {
    expect(first.keys.size).toBe(1);
    const [source, ...others] = first.sources.keys();
    expect(others).toEqual([]);
    for (const { Properties } of first.keys.values()) {
      expect(Properties).toMatchObject({ Enabled: true, Value: { 'Fn::GetAtt': [source, 'GatewayKey'] } });
      // A key with a name can't be replaced, and an id that is the key would be shown.
      expect(Properties).not.toHaveProperty('Name');
      expect(Properties).not.toHaveProperty('GenerateDistinctId');
    }
  });

  test('are two while the secret is replaced, and the older one does not change', () => {
    const parts = ['keys', 'places', 'sources'] as const;
    for (const part of parts) {
      const [before, meanwhile, after] = [first[part], second[part], third[part]].map((found) => new Map(found));
      expect([before?.size, meanwhile?.size, after?.size]).toEqual([1, 2, 2]);
      for (const [id, one] of before ?? []) expect(meanwhile?.get(id)).toEqual(one);
      const kept = [...(meanwhile ?? [])].filter(([id]) => after?.has(id));
      expect(kept).toHaveLength(1);
      for (const [id, one] of kept) expect(after?.get(id)).toEqual(one);
    }
  });
});
