import { describe, expect, test } from 'vitest';
import { RECONCILER_ID } from '../../../../lib/local/operator/operator-environment.ts';
import { addStacks } from '../../../../lib/stacks/add-stacks.ts';
import { readAssembly } from '../../../../lib/stacks/iam/assembly.ts';
import { grantsOf } from '../../../../lib/stacks/iam/grants.ts';
import { codeOf, deployment, ownResourcesOf, testApp, VERSION } from '../synthesis.ts';
import { functionsById } from './api-methods.ts';

const app = testApp();
const stacks = addStacks(app, { deployment: deployment(), version: VERSION, codeOf });
const { directory } = app.synth();
const grants = readAssembly(directory).flatMap(({ template }) => grantsOf(template));

/** What the functions that no client calls may change, by their constructs. */
const TRIGGERS: Record<
  string,
  {
    readonly indexes: readonly string[];
    readonly writes: readonly string[];
  }
> = {
  CountJobs: {
    indexes: [],
    writes: [
      'dynamodb:UpdateItem Registry: counter, day-figures, model-figures, project-figures',
      'dynamodb:PutItem Registry: event-feed',
      'dynamodb:PutItem Registry: events#*',
      'dynamodb:DeleteItem Registry: account-wait',
      'dynamodb:PutItem Registry: account-wait',
      'dynamodb:PutItem Registry: audit',
    ],
  },
  WatchJobs: {
    indexes: ['by-status', 'ready'],
    writes: [
      'dynamodb:PutItem Jobs',
      'dynamodb:UpdateItem Jobs',
      'dynamodb:DeleteItem Registry: project, texts#*, labels#*, message#*, questions#*, probe, hold, thread#*, forks#*, tree#*, deployments#*, account, automation, automation-due, automation-runs#*, automation-deliveries#*',
      'dynamodb:PutItem Registry: project, texts#*, labels#*, message#*, questions#*, probe, hold, thread#*, forks#*, tree#*, deployments#*, account, automation, automation-due, automation-runs#*, automation-deliveries#*',
      'dynamodb:UpdateItem Registry: signal',
      's3:DeleteObject Output/jobs/*',
      's3:DeleteObjectVersion Output/jobs/*',
      's3:PutObject Output/jobs/*',
    ],
  },
  DeliverCalls: {
    indexes: [],
    writes: [
      'dynamodb:UpdateItem Jobs',
      'dynamodb:PutItem Jobs: event#*',
      'dynamodb:PutItem Registry: binding, deployments#*',
    ],
  },
  ReadFeed: {
    indexes: [],
    writes: [
      'dynamodb:DeleteItem Registry: event-feed',
      'dynamodb:UpdateItem Registry: event-feed',
      'dynamodb:PutItem Registry: subscription, subscription-health, subscription-deliveries#*, sent-messages#*',
      'dynamodb:UpdateItem Registry: subscription, subscription-health, subscription-deliveries#*, sent-messages#*',
      'dynamodb:PutItem Jobs',
      'dynamodb:UpdateItem Jobs',
      'dynamodb:DeleteItem Registry: project, texts#*, labels#*, message#*, questions#*, probe, hold, thread#*, forks#*, tree#*, deployments#*, account, automation, automation-due, automation-runs#*, automation-deliveries#*',
      'dynamodb:PutItem Registry: project, texts#*, labels#*, message#*, questions#*, probe, hold, thread#*, forks#*, tree#*, deployments#*, account, automation, automation-due, automation-runs#*, automation-deliveries#*',
      'dynamodb:UpdateItem Registry: signal',
      's3:PutObject Output/jobs/*',
    ],
  },
  SweepJobs: {
    indexes: ['by-status', 'by-time'],
    writes: [
      'dynamodb:DeleteItem Jobs',
      'dynamodb:UpdateItem Jobs',
      'dynamodb:DeleteItem Registry: texts#*, labels#*, message#*, questions#*, deployments#*, thread#*, forks#*, tree#*',
      's3:DeleteObject Output/jobs/*',
    ],
  },
};

// As AWS's own policy for it, AWSLambdaDynamoDBExecutionRole.
test("the counts' function may read the stream of changes", () => {
  const own = grants.filter(({ holder }) => holder.startsWith('TriggersCountJobs '));
  const reads = own.flatMap(({ actions }) =>
    actions.filter((action) => /^dynamodb:.*(?:Stream|Records|Shard)/.test(action)),
  );
  expect(reads.toSorted()).toEqual([
    'dynamodb:DescribeStream',
    'dynamodb:GetRecords',
    'dynamodb:GetShardIterator',
    'dynamodb:ListStreams',
  ]);
});

test('only the triggers that create jobs in the name of tokens read these, and only their state', () => {
  const reads = grants.filter(
    ({ holder, actions, conditions }) =>
      holder.startsWith('Triggers') &&
      actions.includes('dynamodb:GetItem') &&
      conditions.some((condition) => /LeadingKeys is (?!none).*\btoken\b/.test(condition)),
  );
  expect(reads.map(({ holder, conditions }) => [holder.split(' ')[0], conditions])).toEqual([
    ['TriggersWatchJobs', ['LeadingKeys is token', 'Attributes is kind, id, state', 'Select is SPECIFIC_ATTRIBUTES']],
    ['TriggersReadFeed', ['LeadingKeys is token', 'Attributes is kind, id, state', 'Select is SPECIFIC_ATTRIBUTES']],
  ]);
});

describe.for(Object.entries(TRIGGERS))('%s', ([name, { indexes, writes }]) => {
  test('may change only these tables and objects', () => {
    const own = grants.filter(({ holder }) => holder.startsWith(`Triggers${name} `));
    const found = own.flatMap(({ actions, resources, conditions }) =>
      actions
        .filter((action) => /^(?:dynamodb|s3):(?:Put|Update|Delete|BatchWrite|\*)/.test(action))
        .map((action) => [action, ...resources].join(' ') + conditions.join().replace('LeadingKeys is', ':')),
    );
    expect(found).toEqual(writes);
  });

  test('may query only the indexes that it reads', () => {
    const own = grants.filter(
      ({ holder, actions }) => holder.startsWith(`Triggers${name} `) && actions.includes('dynamodb:Query'),
    );
    const found = own
      .flatMap(({ resources }) => resources)
      .flatMap((resource) => /index\/(.*)/.exec(resource)?.[1] ?? []);
    expect(found.toSorted()).toEqual(indexes);
  });
});

test("an operator's commands find the reconciler by its logical id", () => {
  const own = [...ownResourcesOf(stacks.api, 'AWS::Lambda::Function').keys()];
  expect(own.filter((id) => id.slice(0, -8) === RECONCILER_ID)).toEqual([
    functionsById(stacks.api).get('triggers.reconcile-jobs')?.logicalId,
  ]);
});

test('the function that sends messages may read where the service is, to which their links lead', () => {
  const own = grants.filter(({ holder }) => holder.startsWith('TriggersReadFeed '));
  const readable = own
    .filter(({ actions }) => actions.includes('ssm:GetParameter'))
    .flatMap(({ resources }) => resources);
  expect(readable).toEqual([expect.stringMatching(/parameter\/.*whereabouts|parameter\/.*endpoints/)]);
});
