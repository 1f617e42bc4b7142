import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { pages, routes } from '../../../../lib/contract/routes/routes.ts';
import { ApiStack } from '../../../../lib/stacks/api/api-stack.ts';
import type { ServedRoute } from '../../../../lib/stacks/api/api-stack-props.ts';
import { DataStack } from '../../../../lib/stacks/data/data-stack.ts';
import { codeOf, deployment, nestedStacksOf, ownResourcesOf, resourcesOf, testApp, VERSION } from '../synthesis.ts';
import { apiDocumentOf, functionsById } from './api-methods.ts';

/** CloudFormation's limits for one stack. */
const MAX_TEMPLATE_BYTES = 1_000_000;
const MAX_OUTPUTS = 200;
/** API Gateway's default quota of resources, which are paths, for one API. */
const MAX_API_RESOURCES = 300;

/** Routes like those of the table, each on its own path. */
function toyRoutes(count: number): ServedRoute[] {
  return Array.from({ length: count }, (_, at): ServedRoute => {
    // An id has letters only.
    const name = [...String(at)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('');
    const like = routes[at % routes.length];
    if (like === undefined) throw new Error('the table has no routes');
    return { ...like, id: `toys.read-${name}`, path: `/toys/kind-${at}`, params: undefined };
  });
}

function stackWith(more: readonly ServedRoute[]): ApiStack {
  const app = testApp();
  const all = [...routes, ...pages, ...more];
  const data = new DataStack(app, 'promptq-data');
  const stack = new ApiStack(app, 'promptq-api', {
    data,
    deployment: deployment(),
    version: VERSION,
    codeOf,
    served: all,
  });
  // Not within a test: a busy machine takes longer for it than a test may.
  app.synth();
  return stack;
}

const served = routes.length + pages.length;
const [present, oneMore] = [stackWith([]), stackWith(toyRoutes(1))];
/** By how many routes it has. */
const grown = { 200: stackWith(toyRoutes(200 - served)), 250: stackWith(toyRoutes(250 - served)) };

function measure(stack: ApiStack) {
  return [stack, ...nestedStacksOf(stack)].map((one) => {
    const template = Template.fromStack(one).toJSON();
    return {
      name: one.node.path,
      resources: ownResourcesOf(one).size,
      // As CDK writes it.
      bytes: Buffer.byteLength(JSON.stringify(template, undefined, 1)),
      outputs: Object.keys(template.Outputs ?? {}).length,
      parameters: Object.keys(template.Parameters ?? {}).length,
    };
  });
}

describe.each([
  { count: 200, maxResources: 300 },
  { count: 250, maxResources: 350 },
] as const)('$count routes, each on its own path', ({ count, maxResources }) => {
  const stack = grown[count];

  test(`fit: every stack has at most ${maxResources} of the 500 resources that CloudFormation allows`, () => {
    for (const { name, resources, bytes, outputs, parameters } of measure(stack)) {
      expect(resources, name).toBeLessThanOrEqual(maxResources);
      expect(bytes, name).toBeLessThan(MAX_TEMPLATE_BYTES);
      expect(outputs, name).toBeLessThan(MAX_OUTPUTS);
      expect(parameters, name).toBeLessThan(10);
    }
    expect(Object.keys(apiDocumentOf(stack).paths).length).toBeLessThan(MAX_API_RESOURCES);
  });

  test('cost the api stack one resource each', () => {
    expect(ownResourcesOf(stack).size - ownResourcesOf(present).size).toBe(count - served);
  });
});

describe('one more route', () => {
  const deploymentOf = (stack: ApiStack) => [...resourcesOf(stack, 'AWS::ApiGateway::Deployment').keys()];
  const same = stackWith([]);

  test('is deployed: another document creates another deployment, which the stage uses', () => {
    const [before, after] = [deploymentOf(present), deploymentOf(oneMore)];
    expect([before.length, after.length]).toEqual([1, 1]);
    expect(after).not.toEqual(before);
    expect(deploymentOf(same)).toEqual(before);
    const [stage] = resourcesOf(oneMore, 'AWS::ApiGateway::Stage').values();
    expect(stage?.Properties.DeploymentId).toEqual({ Ref: after[0] });
  });

  test('waits for all permissions, so that no call reaches a function that rejects it', () => {
    const [made] = resourcesOf(oneMore, 'AWS::ApiGateway::Deployment').values();
    const permissions = [...resourcesOf(oneMore, 'AWS::Lambda::Permission')]
      .filter(([, { Properties }]) => Properties.Principal === 'apigateway.amazonaws.com')
      .map(([id]) => id);
    expect(permissions).toHaveLength(served + 2);
    expect(made?.DependsOn).toEqual(expect.arrayContaining(permissions));
  });

  test('moves no function, because a moved one would lose its log', () => {
    const placesIn = (stack: ApiStack) =>
      new Map(nestedStacksOf(stack).flatMap((one) => [...functionsById(one).keys()].map((id) => [id, one.node.path])));
    const [before, after] = [placesIn(present), placesIn(oneMore)];
    expect(before.size).toBe(served);
    expect([...after].filter(([id, place]) => before.get(id) !== place).map(([id]) => id)).toEqual(['toys.read-a']);
  });
});

test('sibling paths name their variable alike, because API Gateway takes one name only', () => {
  const siblings = Map.groupBy(
    Object.keys(apiDocumentOf(present).paths).flatMap((path) => path.match(/^.*\/\{[a-z_]+\}$/) ?? []),
    (path) => path.slice(0, path.lastIndexOf('/')),
  );
  expect(siblings.size).toBeGreaterThan(3);
  for (const [parent, paths] of siblings) expect(paths, parent).toHaveLength(1);
});
