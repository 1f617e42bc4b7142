import { describe, expect, test } from 'vitest';
import { addStacks } from '../../../../lib/stacks/add-stacks.ts';
import { readAssembly } from '../../../../lib/stacks/iam/assembly.ts';
import { explanationOf, objectionsTo } from '../../../../lib/stacks/iam/explain-grant.ts';
import { type Grant, grantsOf } from '../../../../lib/stacks/iam/grants.ts';
import { IAM_EXCEPTIONS } from '../../../../lib/stacks/iam/iam-exceptions.ts';
import { codeOf, deployment, testApp, VERSION } from '../synthesis.ts';

/** The id of the reconciler's function, which deployments keep. */
const RECONCILER = 'WatchJobs';

const app = testApp();
addStacks(app, {
  deployment: deployment({ alarmEmail: 'ops@example.com', mailFrom: 'ops@example.com', dashboard: true }),
  version: VERSION,
  codeOf,
});
const { directory } = app.synth();
const stacks = readAssembly(directory);
const grants = stacks.flatMap(({ template }) => grantsOf(template));
const holders = stacks.flatMap(({ template }) => [...new Set(grantsOf(template).map(({ holder }) => holder))]);

describe('the list of all grants', () => {
  test('has no unexplained *', () => {
    expect(objectionsTo(grants).map(({ grant, about }) => `${grant.holder}: ${about}`)).toEqual([]);
  });

  test('needs every listed explanation', () => {
    const used = new Set(grants.map(explanationOf));
    expect(Object.entries(IAM_EXCEPTIONS).flatMap(([name, one]) => (used.has(one) ? [] : [name]))).toEqual([]);
  });

  test('lets one function send mails, from the address of the deployment', () => {
    expect(grants.filter(({ actions }) => actions.some((action) => action.startsWith('ses:')))).toEqual([
      {
        holder: expect.stringMatching(/^TriggersReadFeed/),
        actions: ['ses:SendEmail'],
        resources: [expect.stringContaining(':configuration-set/*'), expect.stringContaining(':identity/*')],
        conditions: [expect.stringContaining('ops@example.com')],
      },
    ]);
  });

  test('names every role with its owner', () => {
    const roles = stacks.flatMap(({ template }) =>
      Object.values(template.Resources).filter((one) => (one as { Type: string }).Type === 'AWS::IAM::Role'),
    );
    expect(holders).toHaveLength(roles.length);
    expect(grants).toContainEqual({
      holder: 'JobsSubmit (POST /api/v1/jobs/{id}/submit)',
      actions: ['sqs:GetQueueAttributes', 'sqs:SendMessage'],
      resources: ['HighQueue', 'LowQueue', 'NormalQueue'],
      conditions: [],
    });
    expect(grants.filter(({ holder }) => holder.startsWith(`Triggers${RECONCILER}`))).toContainEqual(
      expect.objectContaining({
        resources: ['Registry'],
        conditions: [expect.stringMatching(/^LeadingKeys is none of token, session/)],
      }),
    );
  });
});

describe('an objection', () => {
  const grant = (differences: Partial<Grant>): Grant => ({
    holder: 'f',
    actions: ['s3:GetObject'],
    resources: ['Output/jobs/*'],
    conditions: [],
    ...differences,
  });
  const role = (statement: object) =>
    grantsOf({
      Resources: {
        Role: {
          Type: 'AWS::IAM::Role',
          Properties: { Policies: [{ PolicyDocument: { Statement: { Effect: 'Allow', ...statement } } }] },
        },
      },
    });

  test.each([
    ['an action with a *', grant({ actions: ['s3:*'], resources: ['Output'] })],
    ['another action on an explained resource', grant({ actions: ['s3:GetObject', 's3:PutObjectAcl'] })],
    ['another resource of an explained action', grant({ resources: ['Output/*'] })],
    ['one explained resource and one that is not', grant({ resources: ['Output/jobs/*', '*'] })],
    ['whatever is not named', role({ NotAction: 'iam:*', Resource: 'x' })[0]],
    ['everything but one thing', role({ Action: 's3:GetObject', NotResource: 'x' })[0]],
  ])('is made to %s', (_, one) => {
    expect(objectionsTo(one === undefined ? [] : [one])).not.toEqual([]);
  });

  test('is not made to a named or explained resource', () => {
    expect(objectionsTo([grant({}), grant({ resources: ['Output'] })])).toEqual([]);
  });
});
