import { createHash } from 'node:crypto';
import type { Stack } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { nestedStacksOf, ownResourcesOf } from './synthesis.ts';
import { twoDeployments } from './two-deployments.ts';

const deployments = twoDeployments();

/** Changes with each change of the document of the API, of whose parts other tests speak. */
const NAMED_BY_CONTENT = new Set(['AWS::ApiGateway::Deployment']);

/** What the sources of the worker's image make of its name. */
const ASSET_HASH = /\b[\da-f]{64}\b/g;

/** A line for each resource, with a digest of its definition; functions have placeholders for their code. */
function linesOf(stack: Stack): string[] {
  return [stack, ...nestedStacksOf(stack)].flatMap((one) =>
    [...ownResourcesOf(one)].map(([id, resource]) => {
      const digest = createHash('sha256')
        .update(JSON.stringify(resource).replaceAll(ASSET_HASH, 'hash'))
        .digest('hex')
        .slice(0, 8);
      return NAMED_BY_CONTENT.has(resource.Type) ? resource.Type : `${id} ${resource.Type} ${digest}`;
    }),
  );
}

// So that no permission, limit or time of a deployment changes unnoticed. A change that is meant is recorded by a run of
// this file with `-u` at its end; `npx cdk diff` shows it in full.
test.each(
  Object.entries(deployments).flatMap(([name, stacks]) =>
    Object.entries(stacks).map(([part, stack]) => ({ name, part, stack })),
  ),
)('every resource of the $name deployment in its stack $part is as it was recorded', async ({ name, part, stack }) => {
  await expect(`${linesOf(stack).toSorted().join('\n')}\n`).toMatchFileSnapshot(`recorded/${name}-${part}.txt`);
});
