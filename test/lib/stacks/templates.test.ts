import { createHash } from 'node:crypto';
import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { addStacks } from '../../../lib/stacks/add-stacks.ts';
import { codeOf, deployment, nestedStacksOf, testApp, VERSION } from './synthesis.ts';
import { twoDeployments } from './two-deployments.ts';

/** Settings that change what is deployed, each with another value than the usual one. */
const SETTINGS = {
  deploymentName: 'changed',
  timeoutUnit: 'minutes',
  maxBodyBytes: 1_000_000,
  scopeEnforcement: false,
  maxWorkers: 7,
  jobsPerWorker: 3,
  warmFunctions: false,
  warmWorkers: { count: 2, days: ['mon', 'tue'], from: '08:00', to: '18:00', timezone: 'Europe/Berlin' },
  workerArchitecture: 'x86_64',
  agents: ['codex'],
  spotWeight: 50,
  idleMinutes: 5,
  retentionDays: 30,
  deployCommands: false,
  adminEmail: 'ada@example.com',
  alarmEmail: 'ops@example.com',
  dashboard: true,
  session: { idleSeconds: 600, maxSeconds: 3_600 },
  workspaceDays: 3,
  logRetentionDays: 90,
  throttling: { rate: 10, burst: 20 },
  followStreams: 3,
  tokenRate: 5,
  perimeterSources: ['203.0.113.0/24'],
  telegramUsers: { '1234': 'viewer' },
};
const deployments = {
  ...twoDeployments(),
  changed: addStacks(testApp(), {
    deployment: deployment(SETTINGS),
    version: VERSION,
    codeOf,
    config: { rules: [{ id: 'brief', text: 'Be brief.' }] },
  }),
};

/** Changes with each change of the document of the API, of whose parts other tests speak. */
const NAMED_BY_CONTENT = new Set(['AWS::ApiGateway::Deployment']);

/** What the sources of the worker's image make of its name. */
const ASSET_HASH = /\b[\da-f]{64}\b/g;

/** A line for each part of a stack's templates, with a digest of its definition; functions have placeholders for their code. */
function linesOf(stack: Stack): string[] {
  return [stack, ...nestedStacksOf(stack)].flatMap((one) => {
    const { Description, ...sections } = Template.fromStack(one).toJSON();
    const all: [string, Record<string, { readonly Type?: string }>][] = Object.entries({
      ...sections,
      Description: { Description },
    });
    return all.flatMap(([section, parts]) =>
      Object.entries(parts).map(([id, part]) => {
        const definition = JSON.stringify(part ?? null).replaceAll(ASSET_HASH, 'hash');
        const digest = createHash('sha256').update(definition).digest('hex').slice(0, 8);
        const type = part?.Type ?? section;
        return NAMED_BY_CONTENT.has(type) ? type : `${id} ${type} ${digest}`;
      }),
    );
  });
}

// So that no permission, limit or time of a deployment changes unnoticed. `npm run generate` records a change that is
// meant; `npx cdk diff` shows it in full.
test.each(
  Object.entries(deployments).flatMap(([name, stacks]) =>
    Object.entries(stacks).map(([part, stack]) => ({ name, part, stack })),
  ),
)('everything in stack $part of the $name deployment is as it was recorded', async ({ name, part, stack }) => {
  await expect(`${linesOf(stack).toSorted().join('\n')}\n`).toMatchFileSnapshot(`recorded/${name}-${part}.txt`);
});
