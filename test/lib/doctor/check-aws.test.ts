import { readFile, writeFile } from 'node:fs/promises';
import {
  CloudFormationClient,
  type DescribeStacksCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import type { DescribeParametersCommandInput, SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, it, vi } from 'vitest';
import { checkAlarms } from '../../../lib/doctor/deployment/check-alarms.ts';
import { checkParameters } from '../../../lib/doctor/deployment/check-parameters.ts';
import { checkStacks } from '../../../lib/doctor/deployment/check-stacks.ts';
import { awsCommand } from './aws-command.ts';

describe('parameters', () => {
  /** Parameters of a store, listed one a page. */
  function storeOf(types: Readonly<Record<string, string>>) {
    const asked: number[] = [];
    const send = async ({ input }: { input: DescribeParametersCommandInput }) => {
      const { Values = [], ...filter } = input.ParameterFilters?.[0] ?? { Key: undefined };
      expect([input.ParameterFilters?.length, filter, input.MaxResults]).toEqual([
        1,
        { Key: 'Name', Option: 'Equals' },
        50,
      ]);
      const at = Number(input.NextToken ?? 0);
      if (at === 0) asked.push(Values.length);
      const there = Values.filter((name) => types[name] !== undefined);
      return await Promise.resolve({
        Parameters: there.slice(at, at + 1).map((Name) => ({ Name, Type: types[Name] })),
        ...(at + 1 < there.length && { NextToken: String(at + 1) }),
      });
    };
    return { client: { send } as unknown as SSMClient, asked };
  }
  const SECURE = 'SecureString';
  const key = { places: ['/p/build/KEY', '/p/KEY'], need: 'the profile build names it' };
  const look = async (types: Record<string, string>, wanted = [key], made: string[] = []) =>
    (await checkParameters(storeOf(types).client, wanted, made)).map(
      ({ check, state, message }) => `${state} ${check}: ${message}`,
    );

  it('are found at their own place or the shared one, and count once', async () => {
    const other = { places: ['/p/test/KEY', '/p/KEY'], need: 'the profile test names it' };
    const types = { '/p/KEY': SECURE, '/p/build/KEY': SECURE, '/made': 'String' };
    expect(await look(types, [key, other], ['/made'])).toEqual([
      'ok parameters: 1 of the stacks there',
      'ok secrets: 1 secret set',
    ]);
    expect(await look({})).toContain('fault secrets: /p/KEY is not set; the profile build names it');
    expect(await look({}, [])).toEqual(['ok parameters: 0 of the stacks there', 'ok secrets: 0 secrets set']);
  });

  it('must be secure at the place that counts', async () => {
    expect(await look({ '/p/build/KEY': 'String', '/p/KEY': SECURE })).toEqual([
      'ok parameters: 0 of the stacks there',
      'fault secrets: /p/build/KEY is no SecureString; the profile build names it',
    ]);
    expect(await look({ '/p/build/KEY': SECURE, '/p/KEY': 'String' })).toContain('ok secrets: 1 secret set');
  });

  it('of the stacks are missed', async () => {
    expect(await look({ '/b': 'String' }, [], ['/a', '/b', '/c'])).toContain(
      'fault parameters: gone, though a stack has made them: /a, /c',
    );
  });

  it('are asked for by the fifty, on all pages', async () => {
    const made = Array.from({ length: 100 }, (_, at) => `/made/${at}`);
    const { client, asked } = storeOf(Object.fromEntries(made.map((name) => [name, 'String'])));
    expect(await checkParameters(client, [], made)).toMatchObject([{ message: '100 of the stacks there' }, {}]);
    expect(asked).toEqual([50, 50]);
  });
});

describe('stacks', () => {
  type Known = Readonly<Record<string, { StackStatus: string; StackStatusReason?: string; Outputs?: object[] }>>;
  const accountOf = (known: Known, resources: Readonly<Record<string, object[]>> = {}) => {
    const send = async (command: DescribeStacksCommand | ListStackResourcesCommand) => {
      const { StackName = '', NextToken } = command.input;
      if (command instanceof ListStackResourcesCommand) {
        const [first, ...rest] = resources[StackName] ?? [];
        if (NextToken !== undefined) return await Promise.resolve({ StackResourceSummaries: rest });
        return await Promise.resolve({ StackResourceSummaries: first && [first], NextToken: first && 'next' });
      }
      const stack = known[StackName];
      if (stack === undefined) throw new Error(`Stack with id ${StackName} does not exist`);
      return { Stacks: [{ StackName, ...stack }] };
    };
    return Object.assign(Object.create(CloudFormationClient.prototype), { send }) as CloudFormationClient;
  };

  it.each([
    ['CREATE_COMPLETE', 'ok'],
    ['UPDATE_COMPLETE', 'ok'],
    ['IMPORT_COMPLETE', 'ok'],
    ['UPDATE_IN_PROGRESS', 'warning'],
    ['UPDATE_ROLLBACK_COMPLETE', 'warning'],
    ['ROLLBACK_COMPLETE', 'fault'],
    ['DELETE_FAILED', 'fault'],
  ])('in the state %s are: %s', async (StackStatus, state) => {
    const { findings } = await checkStacks(
      accountOf({ 'team-data': { StackStatus, StackStatusReason: 'why' } }),
      'team',
    );
    expect(findings[0]).toMatchObject({ check: 'stack team-data', state, message: `${StackStatus}: why` });
    expect(findings.slice(1)).toMatchObject(
      ['api', 'worker', 'console'].map((part) => ({
        check: `stack team-${part}`,
        state: 'fault',
        message: 'is not there',
      })),
    );
  });

  it('have outputs, of which later ones count, and alarms and parameters on all pages', async () => {
    const StackStatus = 'CREATE_COMPLETE';
    const output = (OutputKey: string, OutputValue: string) => ({ OutputKey, OutputValue });
    const known = {
      'team-data': { StackStatus, Outputs: [output('Url', 'a'), output('Table', 't')] },
      'team-api': { StackStatus, Outputs: [output('Url', 'b')] },
      'team-worker': { StackStatus },
    };
    const made = (ResourceType: string, PhysicalResourceId?: string) => ({ ResourceType, PhysicalResourceId });
    const resources = {
      'team-data': [
        made('AWS::CloudWatch::Alarm', 'a1'),
        made('AWS::SSM::Parameter', '/p'),
        made('AWS::S3::Bucket', 'b'),
      ],
      'team-api': [made('AWS::SSM::Parameter'), made('AWS::CloudWatch::Alarm', 'a2')],
    };
    const { stacks, findings } = await checkStacks(accountOf(known, resources), 'team');
    expect(stacks).toEqual({
      names: ['team-data', 'team-api', 'team-worker'],
      outputs: new Map([
        ['Url', 'b'],
        ['Table', 't'],
      ]),
      alarms: ['a1', 'a2'],
      parameters: ['/p'],
    });
    expect(findings[0]).toEqual({ check: 'stack team-data', state: 'ok', message: StackStatus });
  });

  it('that may not be read are no missing stacks', async () => {
    const client = { send: async () => await Promise.reject(new Error('AccessDenied')) };
    await expect(checkStacks(client as unknown as CloudFormationClient, 'team')).rejects.toThrow('AccessDenied');
  });
});

describe('alarms', () => {
  const command = awsCommand();
  /** The command `aws` answers so, and notes how many arguments it got. */
  async function answering(alarms: readonly object[]) {
    await writeFile(command.path('calls'), '');
    const noting = `echo "$# $*" >>${command.path('calls')}`;
    await command.runs(noting, `printf %s '${JSON.stringify({ MetricAlarms: alarms })}'`);
  }
  const calls = async () => (await readFile(command.path('calls'), 'utf8')).trimEnd().split('\n');

  it('that ring are faults with their descriptions as advice', async () => {
    await answering([{ AlarmName: 'a', AlarmDescription: 'Do this.', StateReason: 'high' }, { AlarmName: 'b' }]);
    expect(await checkAlarms(['a', 'b', 'c'])).toEqual([
      { check: 'alarms', state: 'fault', message: 'a: high', advice: 'Do this.' },
      { check: 'alarms', state: 'fault', message: 'b: it rings', advice: 'See its section of the runbook.' },
    ]);
    expect(await calls()).toEqual([
      '10 cloudwatch describe-alarms --state-value ALARM --output json --alarm-names a b c',
    ]);
  });

  it('are asked for by the hundred', async () => {
    await answering([]);
    expect(await checkAlarms([])).toEqual([{ check: 'alarms', state: 'ok', message: 'the deployment has none' }]);
    const names = Array.from({ length: 200 }, (_, at) => `n${at}`);
    expect(await checkAlarms(names)).toEqual([{ check: 'alarms', state: 'ok', message: 'none of 200 rings' }]);
    expect((await calls()).map((line) => line.split(' ')[0])).toEqual(['107', '107']);
  });

  it('that no command can look at are a warning', async () => {
    vi.stubEnv('PATH', '/nowhere');
    expect(await checkAlarms(['a'])).toMatchObject([
      { state: 'warning', message: '1 alarm could not be looked at: there is no command `aws`' },
    ]);
    await answering([{}]);
    expect(await checkAlarms(['a', 'b'])).toMatchObject([
      { state: 'warning', message: expect.stringMatching(/^2 alarms could not be looked at: (?!there is no)/) },
    ]);
    await command.runs('echo AccessDenied >&2', 'exit 254');
    expect(await checkAlarms(['a'])).toMatchObject([
      { state: 'warning', message: expect.stringMatching(/^1 alarm could not be looked at: .*AccessDenied/) },
    ]);
  });
});
