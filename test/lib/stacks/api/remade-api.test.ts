import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { addStacks } from '../../../../lib/stacks/add-stacks.ts';
import { DataStack } from '../../../../lib/stacks/data/data-stack.ts';
import { distributionOf } from '../console/distribution.ts';
import { codeOf, deployment, propertiesOfOnly, resourcesOf, testApp, VERSION } from '../synthesis.ts';
import { functionsById } from './api-methods.ts';
import { isSkipped } from './cdk-cli.ts';

const app = testApp();
const stacks = addStacks(app, { deployment: deployment({ deploymentName: 'again' }), version: VERSION, codeOf });
// Not within a test: a busy machine takes longer for it than a test may.
const assembly = app.synth();
const dataAlone = Template.fromStack(new DataStack(testApp(), 'again-data')).toJSON();
const templateOf = (stack: 'data' | 'api' | 'worker' | 'console') => Template.fromStack(stacks[stack]).toJSON();

const parameterSchema = z.record(z.string(), z.object({ Type: z.string(), Default: z.string() }));
/** The console stack's parameter that CloudFormation reads again with each deployment. */
const [origin, ...others] = Object.entries(parameterSchema.parse(templateOf('console').Parameters)).filter(
  ([name]) => name !== 'BootstrapVersion',
);

describe('`cdk deploy --all` after the api stack was removed and made again', () => {
  test('deploys the console stack though its template is the same, and skips the others', async () => {
    const skipped = await Promise.all(assembly.stacks.map(async (one) => [one.stackName, await isSkipped(one)]));
    expect(Object.fromEntries(skipped)).toEqual({
      'again-data': true,
      'again-api': true,
      'again-worker': true,
      'again-console': false,
    });
  });

  test('gives the console stack the new API, by a parameter that the api stack writes', () => {
    expect(others).toEqual([]);
    expect(origin?.[1]).toMatchObject({
      Type: 'AWS::SSM::Parameter::Value<String>',
      Default: '/again-data/api-origin',
    });
    const written = [...resourcesOf(stacks.api, 'AWS::SSM::Parameter').values()].find(
      ({ Properties }) => Properties.Name === '/again-data/api-origin',
    );
    // The id and the digests of the origin's secret: another API has another id, another secret another digest.
    expect(written?.Properties.Value).toEqual({
      'Fn::Join': [
        '',
        [
          { Ref: expect.stringMatching(/^Api/) },
          ':',
          { 'Fn::GetAtt': [expect.stringMatching(/^OriginSecret/), 'Digests'] },
        ],
      ],
    });
  });

  test("changes the API's origin, and the secret that authenticates the distribution", () => {
    const reference = { Ref: origin?.[0] };
    const [api, ...more] = distributionOf(stacks.console).Origins.filter(
      ({ CustomOriginConfig }) => CustomOriginConfig,
    );
    expect(more).toEqual([]);
    expect(JSON.stringify(api?.DomainName)).toContain(JSON.stringify(reference));
    expect(propertiesOfOnly(stacks.console, 'Custom::PromptqOriginSecret').Changes).toEqual(reference);
  });

  test("gets the secret from a function of its own stack: a resource can't change its function", () => {
    const [keeper] = [...functionsById(stacks.console)].flatMap(([id, { logicalId }]) =>
      id === 'triggers.keep-origin-secret' ? [logicalId] : [],
    );
    const { ServiceToken } = propertiesOfOnly(stacks.console, 'Custom::PromptqOriginSecret');
    expect(ServiceToken).toEqual({ 'Fn::GetAtt': [keeper, 'Arn'] });
  });

  test('refers to nothing else of the api stack, so that it can be removed', () => {
    expect(JSON.stringify(templateOf('console')).match(/Fn::(ImportValue|GetStackOutput)/g) ?? []).toEqual([]);
    const outputs = Object.values(templateOf('api').Outputs ?? {});
    expect(outputs.filter((output) => JSON.stringify(output).includes('Export'))).toEqual([]);
  });
});

describe('what the data stack holds', () => {
  test('is referred to by exports only: what other stacks use is neither removed nor replaced', () => {
    const texts = (['api', 'worker', 'console'] as const).map((name) => JSON.stringify(templateOf(name)));
    expect(texts.flatMap((text) => text.match(/Fn::GetStackOutput/g) ?? [])).toEqual([]);
    const imported = texts.flatMap((text) => text.match(/"Fn::ImportValue":"[^:]+/g) ?? []);
    expect([...new Set(imported)]).toEqual(['"Fn::ImportValue":"again-data']);
  });

  test('is always exported: an upgrade that stops using an export does not fail at the data stack', () => {
    const exportsOf = (template: ReturnType<typeof templateOf>) =>
      Object.keys(template.Outputs ?? {}).filter((name) => name.startsWith('ExportsOutput'));
    expect(exportsOf(templateOf('data')).toSorted()).toEqual(exportsOf(dataAlone).toSorted());
    // A stack has at most 200 outputs.
    expect(exportsOf(dataAlone).length).toBeLessThan(100);
  });
});
