import { describe, expect, it } from 'vitest';
import { checkLeftovers } from '../../../lib/doctor/before-deploy/check-leftovers.ts';
import { checkFargateQuotas, checkLambdaQuota } from '../../../lib/doctor/before-deploy/check-quotas.ts';
import {
  checkCloudFront,
  checkCredentials,
  checkEcsRole,
} from '../../../lib/doctor/before-deploy/examine-before-deploy.ts';
import type { Finding } from '../../../lib/doctor/finding.ts';
import { type Deployment, readDeployment } from '../../../lib/platform/config/deployment.ts';
import { awsCommand } from './aws-command.ts';

const command = awsCommand();

/** Lets the command `aws` answer what begins so; what is not listed fails as its last line on stderr says. */
async function answering(answers: Readonly<Record<string, unknown>>, failure = 'unexpected') {
  const cases = Object.entries(answers).map(([asked, answer]) =>
    answer instanceof Error
      ? `'${asked}'*) echo '${answer.message}' >&2; exit 254;;`
      : `'${asked}'*) printf %s '${typeof answer === 'string' ? answer : JSON.stringify(answer)}';;`,
  );
  await command.runs('case "$*" in', ...cases, `*) echo '${failure}' >&2; exit 254;;`, 'esac');
}
const inShort = ({ check, state, message }: Finding) => `${state} ${check}: ${message}`;

describe('the account', () => {
  it('has the role of ECS, and distributions, or gets advice', async () => {
    await answering({ 'iam get-role --role-name AWSServiceRoleForECS': {}, 'cloudfront list-distributions': '"E1"' });
    expect([await checkEcsRole(), await checkCloudFront()].map(inShort)).toEqual([
      'ok ECS role: the service-linked role is there',
      'ok CloudFront: this account has distributions',
    ]);
    await answering({ 'iam get-role': new Error('(NoSuchEntity)'), 'cloudfront list-distributions': 'null' });
    expect([await checkEcsRole(), await checkCloudFront()]).toMatchObject([
      { state: 'warning', advice: expect.stringContaining('create-service-linked-role') },
      { state: 'warning', advice: expect.stringContaining('open a case') },
    ]);
  });
});

describe('credentials', () => {
  const identity = { Account: '111122223333', Arn: 'arn:aws:iam::111122223333:user/ada' };
  const known = 'ok credentials: account 111122223333, as arn:aws:iam::111122223333:user/ada';
  const look = async (region?: string) => {
    const { findings, canAsk } = await checkCredentials(region);
    return [canAsk, ...findings.map(inShort)];
  };

  it('work in the region of the environment, else in that of the profile', async () => {
    await answering({ 'configure get region': 'eu-west-1\n', 'sts get-caller-identity --output': identity });
    expect(await look('eu-central-1')).toEqual([true, known, 'ok region: eu-central-1']);
    expect(await look()).toEqual([true, known, 'ok region: eu-west-1']);
  });
});

describe('stacks of a former deployment', () => {
  const gone = new Error('Stack does not exist');
  const look = async (StackStatus: string, isProtected?: boolean) => {
    const stack = { StackStatus, ...(isProtected !== undefined && { EnableTerminationProtection: isProtected }) };
    const [data, console] = ['data', 'console'].map(
      (part) => `cloudformation describe-stacks --stack-name team-${part}`,
    );
    await answering({ [String(data)]: { Stacks: [stack] }, [String(console)]: { Stacks: [stack] } }, gone.message);
    return (await checkLeftovers('team')).map(inShort);
  };
  const NONE = ['ok stacks: none blocks the deployment'];

  it('block it if their creation failed and they are protected', async () => {
    for (const status of ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'])
      expect(await look(status, true)).toEqual(
        ['data', 'console'].map((part) => expect.stringContaining(`fault stack team-${part}: ${status}: its creation`)),
      );
    expect(await look('ROLLBACK_COMPLETE', false)).toEqual(NONE);
    expect(await look('ROLLBACK_FAILED')).toEqual(NONE);
    expect(await look('CREATE_COMPLETE', true)).toEqual(NONE);
  });
});

describe('quotas', () => {
  it.each([
    [100, 'ok'],
    [99, 'warning'],
  ])('%s functions at once are %s', async (limit, state) => {
    await answering({ 'lambda get-account-settings': { AccountLimit: { ConcurrentExecutions: limit } } });
    const found = await checkLambdaQuota();
    expect(found).toMatchObject({ state, message: expect.stringMatching(`^${limit} functions`) });
    const advice = '--service-code lambda --quota-code L-B99A9384 --desired-value 1000`';
    expect(found.advice?.includes(advice) ?? 'none').toBe(state === 'ok' ? 'none' : true);
  });

  const FARGATE = '--service-code fargate --quota-code';
  const look = async (limits: { onDemand: unknown; spot?: unknown }, given: Partial<Deployment>) => {
    const answer = (value: unknown) => (value instanceof Error ? value : { Quota: { Value: value } });
    await answering({
      [`service-quotas get-service-quota ${FARGATE} L-3032A538`]: answer(limits.onDemand),
      [`service-quotas get-service-quota ${FARGATE} L-36FBB829`]: answer(limits.spot),
      [`service-quotas get-aws-default-service-quota ${FARGATE}`]: answer(4),
    });
    return await checkFargateQuotas(settings(given));
  };
  const size = { workerSize: { vcpus: 2, memoryGb: 4 } } as const;

  it('of Fargate are as many vCPUs as all workers take, each kind for its share', async () => {
    const found = await look({ onDemand: 14, spot: 7 }, { ...size, maxWorkers: 10, spotWeight: 33 });
    expect(found.map(inShort)).toEqual([
      'ok Fargate On-Demand quota: 14 vCPU; 7 workers (maxWorkers) take 14',
      'warning Fargate Spot quota: 7 vCPU; 4 workers (maxWorkers) take 8: further launches fail and are tried again',
    ]);
    expect(found[1]?.advice).toContain('--service-code fargate --quota-code L-36FBB829 --desired-value 8`');
  });
});

function settings(given: Partial<Deployment>): Deployment {
  return readDeployment({ timeoutUnit: 'seconds', deploymentName: 'team', ...given });
}
