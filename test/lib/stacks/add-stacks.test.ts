import { CfnResource, type Stack, TagManager } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { describe, expect, test } from 'vitest';
import { BOOTSTRAP_VERSION } from '../../../lib/doctor/before-deploy/examine-before-deploy.ts';
import { addStacks } from '../../../lib/stacks/add-stacks.ts';
import { codeOf, deployment, nestedStacksOf, ownResourcesOf, resourcesOf, testApp, VERSION } from './synthesis.ts';

const app = testApp({ validates: true });
const stacks = addStacks(app, {
  deployment: deployment({ deploymentName: 'second' }),
  version: VERSION,
  codeOf,
  config: { rules: [{ id: 'brief', text: 'Be brief.' }] },
});

// Not within a test: a busy machine takes longer for it than a test may.
const assembly = app.synth();

describe('a deployment', () => {
  test('passes the AwsSolutions rules, each finding with its reason, and does not depend on who deploys it', () => {
    expect(assembly.stacks.map(({ stackName }) => stackName).sort()).toEqual([
      'second-api',
      'second-console',
      'second-data',
      'second-worker',
    ]);
    for (const { environment } of assembly.stacks) {
      expect(environment).toMatchObject({ account: 'unknown-account', region: 'unknown-region' });
    }
    expect(assembly.manifest.missing ?? []).toEqual([]);
  });

  test('has stacks that depend on earlier ones only, without cycles', () => {
    const needs = Object.values(stacks).map((stack) => stack.dependencies.map(({ stackName }: Stack) => stackName));
    expect(needs).toEqual([[], ['second-data'], ['second-data'], ['second-api']]);
  });

  test('creates at most two of its nested stacks at once, so that AWS does not throttle a first deployment', () => {
    const nested = ownResourcesOf(stacks.api, 'AWS::CloudFormation::Stack');
    const earlierThan = (id: string): string[] =>
      (nested.get(id)?.DependsOn ?? []).filter((one) => nested.has(one)).flatMap((one) => [one, ...earlierThan(one)]);
    const waves = [...nested.keys()].map((id) => earlierThan(id).length);
    expect(waves.toSorted()).toEqual([0, 0, 1, 1, 2, 2]);
  });

  test('requires the bootstrap version that the doctor checks for', () => {
    const versions = assembly.stacks.map(({ requiresBootstrapStackVersion }) => requiresBootstrapStackVersion);
    expect(new Set(versions)).toEqual(new Set([BOOTSTRAP_VERSION]));
  });

  test('tags every resource with its name, for the bill', () => {
    const taggable = Object.values(stacks).flatMap((stack) =>
      stack.node.findAll().flatMap((node: IConstruct) => {
        const manager = node instanceof CfnResource ? TagManager.of(node) : undefined;
        return manager === undefined ? [] : [{ path: node.node.path, tags: manager.tagValues() }];
      }),
    );
    expect(taggable.length).toBeGreaterThan(100);
    for (const { path, tags } of taggable) expect([path, tags['promptq:deployment']]).toEqual([path, 'second']);
  });

  test('has no log that AWS creates implicitly, and keeps each for the configured time', () => {
    const functions = Object.values(stacks).flatMap((stack) => [
      ...resourcesOf(stack, 'AWS::Lambda::Function').values(),
    ]);
    const logs = Object.values(stacks).flatMap((stack) => [...resourcesOf(stack, 'AWS::Logs::LogGroup').values()]);
    // Each function's, that of API Gateway, and the workers'.
    expect(logs.length).toBeGreaterThanOrEqual(functions.length + 2);
    for (const { Properties } of logs) expect(Properties.RetentionInDays).toBe(30);
    for (const { Properties } of functions)
      expect(Properties.LoggingConfig).toMatchObject({
        LogGroup: expect.objectContaining({ Ref: expect.any(String) }),
      });
  });

  test('has at most 300 resources in a stack, of the 500 that CloudFormation allows', () => {
    const sizes = Object.values(stacks).flatMap((stack) =>
      [stack, ...nestedStacksOf(stack)].map((one) => [one.node.path, ownResourcesOf(one).size] as const),
    );
    console.log(`resources: ${sizes.map(([name, size]) => `${name} ${size}`).join(', ')}`);
    for (const [name, size] of sizes) expect(size, name).toBeLessThanOrEqual(300);
  });
});
