import { readFile, writeFile } from 'node:fs/promises';
import {
  CloudFormationClient,
  type DescribeStacksCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import type { DescribeParametersCommandInput, SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import { checkAlarms } from '../../../lib/doctor/deployment/check-alarms.ts';
import { checkMail } from '../../../lib/doctor/deployment/check-mail.ts';
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
});

describe('mail', () => {
  const command = awsCommand();
  /** The command `aws` knows an account and one identity. */
  async function answering(account: object, verified: string) {
    await command.runs(
      'case "$2" in',
      `get-account) printf %s '${JSON.stringify(account)}';;`,
      `*) if [ "$4" = ${verified} ]; then echo '{"VerifiedForSendingStatus": true}'`,
      "else echo 'An error occurred (NotFoundException) when calling the GetEmailIdentity operation' >&2; exit 254; fi;;",
      'esac',
    );
  }
  const look = async () => (await checkMail('jobs@example.com')).map(({ state, message }) => `${state}: ${message}`);

  it('may be sent from a verified address or domain', async () => {
    for (const verified of ['jobs@example.com', 'example.com']) {
      await answering({ ProductionAccessEnabled: true, SendingEnabled: true }, verified);
      expect(await look()).toEqual(['ok: jobs@example.com may send']);
    }
  });

  it('names what is missing', async () => {
    await answering({ ProductionAccessEnabled: false, SendingEnabled: false }, 'other.example.com');
    expect(await look()).toEqual([
      'fault: neither jobs@example.com nor example.com is verified',
      'fault: SES has paused sending for the account',
      'warning: SES is in the sandbox: it sends to verified addresses only',
    ]);
    await command.runs('echo no rights >&2; exit 1');
    expect(await look()).toEqual([expect.stringMatching(/^warning: could not be looked at: .*no rights/s)]);
  });
});
