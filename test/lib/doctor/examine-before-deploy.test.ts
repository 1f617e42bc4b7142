import { expect, it } from 'vitest';
import { examineBeforeDeploy } from '../../../lib/doctor/before-deploy/examine-before-deploy.ts';
import { awsCommand } from './aws-command.ts';

const command = awsCommand();
const SETTINGS = { timeoutUnit: 'seconds', deploymentName: 'team' };
const USER = { adminEmail: 'ada@example.com' };

const look = async (settings: object, region: string | undefined = 'eu-west-1') => {
  const surroundings = { settings: { ...SETTINGS, ...settings }, docker: 'promptq-unheard-of', region };
  return (await examineBeforeDeploy(surroundings)).map(({ check, state }) =>
    state === 'ok' ? check : `${state} ${check}`,
  );
};
const identity = `*sts*) echo '{ "Account": "1", "Arn": "arn:1" }';;`;
const OF_ACCOUNT = [
  ...['bootstrap', 'ECS role', 'Lambda quota', 'Fargate quota', 'VPC quota', 'zones', 'CloudFront', 'stacks', 'users'],
];

it('settings, Docker, credentials and account are looked at; what may not be read is a fault', async () => {
  await command.runs('case "$*" in', identity, '*) echo AccessDenied >&2; exit 254;;', 'esac');
  expect(await look(USER)).toEqual([
    ...['settings', 'fault docker', 'credentials', 'region'],
    ...OF_ACCOUNT.map((check) => `fault ${check}`),
  ]);
});

it('without credentials the account is not looked at', async () => {
  await command.runs('exit 254');
  expect(await look(USER)).toEqual(['settings', 'fault docker', 'fault credentials']);
});

it('without a first user no one can sign in, unless another identity provider has users', async () => {
  await command.runs('exit 254');
  expect(await look({})).toEqual(['settings', 'warning first user', 'fault docker', 'fault credentials']);
  const signIn = { issuer: 'https://login.example.com', clientId: 'c' };
  expect(await look({ signIn })).toEqual(['settings', 'fault docker', 'fault credentials']);
});

it('wrong settings are all that is reported', async () => {
  const found = await examineBeforeDeploy({ settings: { maxWorkers: 'x' }, docker: 'docker', region: undefined });
  expect(found).toMatchObject([{ check: 'settings', state: 'fault', advice: expect.stringContaining('cdk.json') }]);
});
