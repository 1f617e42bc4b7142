import { describe, expect, test } from 'vitest';
import { addStacks } from '../../../lib/stacks/add-stacks.ts';
import { codeOf, deployment, resourcesOf, testApp, VERSION } from './synthesis.ts';

const app = testApp();
const stacks = addStacks(app, { deployment: deployment({ deploymentName: 'second' }), version: VERSION, codeOf });

describe('a deployment', () => {
  test('passes the AwsSolutions rules, each finding with its reason, and is whoever deploys it', () => {
    const assembly = app.synth();
    expect(assembly.stacks.map(({ stackName }) => stackName).sort()).toEqual([
      'second-api',
      'second-data',
      'second-worker',
    ]);
    for (const { environment } of assembly.stacks) {
      expect(environment).toMatchObject({ account: 'unknown-account', region: 'unknown-region' });
    }
    expect(assembly.manifest.missing ?? []).toEqual([]);
  });

  test('has stacks that need the data alone: no circles', () => {
    expect(stacks.data.dependencies).toEqual([]);
    expect(stacks.api.dependencies).toEqual([stacks.data]);
    expect(stacks.worker.dependencies).toEqual([stacks.data]);
  });

  test('stays far from the 500 resources that a stack can hold', () => {
    for (const stack of Object.values(stacks)) expect(resourcesOf(stack).size).toBeLessThan(400);
  });
});
