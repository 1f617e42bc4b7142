import { expect, test } from 'vitest';
import { addStacks } from '../../../lib/stacks/add-stacks.ts';
import { codeOf, deployment, resourcesOf, testApp, VERSION } from './synthesis.ts';

const app = testApp();
const stacks = addStacks(app, { deployment: deployment(), version: VERSION, codeOf });
// Not within a test: a busy machine takes longer for it than a test may.
app.synth();

/**
 * What a deployment can't lose, by the logical ids of the first release. A changed id makes CloudFormation create another
 * resource and delete or abandon this one.
 */
const KEPT: readonly (readonly [stack: keyof typeof stacks, type: string, ids: readonly string[]])[] = [
  ['data', 'AWS::DynamoDB::GlobalTable', ['JobsDF1CC2D4', 'Registry4DB9CCA5']],
  [
    'data',
    'AWS::SQS::Queue',
    [
      'DeliveriesDeadLetters9E72E000',
      'DeliveriesQueueA9D42004',
      'HighDeadLettersC3D2172A',
      'HighQueueF7CC6383',
      'LowDeadLettersC0013753',
      'LowQueue9A2B8D54',
      'NormalDeadLetters66F9024A',
      'NormalQueueFA47CC4D',
    ],
  ],
  ['data', 'AWS::S3::Bucket', ['OutputAB65CDDE']],
  ['worker', 'AWS::EFS::FileSystem', ['WorkspacesFiles094D9B29']],
  ['worker', 'AWS::EFS::AccessPoint', ['WorkspacesFilesRoot884AA018']],
  ['console', 'AWS::S3::Bucket', ['ConsoleFiles2D43986C']],
  ['console', 'AWS::CloudFront::Distribution', ['Distribution9930A484']],
  ['console', 'AWS::Cognito::UserPool', ['SignInUsers1801E146']],
  ['console', 'AWS::Cognito::UserPoolClient', ['SignInUsersClient08145A4F']],
  ['console', 'AWS::Cognito::UserPoolDomain', ['SignInUsersDomainF49EFCE4']],
  // The job counts continue from the last position: another mapping would begin with the last day of changes.
  ['api', 'AWS::Lambda::EventSourceMapping', ['TriggersCallsC7208975', 'TriggersJobChanges31A0831F']],
  // One for the whole account, used by other deployments too.
  ['api', 'AWS::ApiGateway::Account', ['ApiAccountA18C9B29']],
  // Two keys can't have one value, not even while one is replaced.
  ['api', 'AWS::ApiGateway::ApiKey', ['GatewayKeysVersion15509A0D0']],
];

test.each(KEPT)('the %s stack keeps the logical ids of its %s', (stack, type, ids) => {
  expect([...resourcesOf(stacks[stack], type).keys()].toSorted()).toEqual(ids);
});
