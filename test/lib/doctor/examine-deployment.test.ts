import { devNull } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TokenStore } from '../../../lib/access/tokens/token-store.ts';
import { type DeploymentTarget, examineDeployment } from '../../../lib/doctor/deployment/examine-deployment.ts';
import { type StandInAccount, startAwsStandIn } from '../../bin/aws-stand-in.ts';
import { diagnoseHere } from '../../bin/doctor-command.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

const account: StandInAccount = { stacks: {}, parameters: {} };
let aws: Awaited<ReturnType<typeof startAwsStandIn>>;
let deployment: EmulatedDeployment;
beforeAll(async () => {
  [aws, deployment] = await Promise.all([startAwsStandIn(account), emulateDeployment()]);
});
afterAll(async () => {
  await aws.close();
  await deployment.stop();
});

const status = 'CREATE_COMPLETE';
const SETTINGS = { timeoutUnit: 'seconds', deploymentName: 'team' };
/** The advice of the last findings, by check. */
let advice: ReadonlyMap<string, string | undefined>;
/** What is found, in the account with these stacks. */
async function look(stacks: StandInAccount['stacks'], change: Partial<DeploymentTarget> = {}, env = {}) {
  account.stacks = stacks;
  const target = { deploymentName: 'team', settings: SETTINGS, file: {}, url: undefined, token: undefined };
  const given = {
    ...{
      ...deployment.variables,
      AWS_REGION: 'us-east-1',
      AWS_CONFIG_FILE: devNull,
      AWS_SHARED_CREDENTIALS_FILE: devNull,
    },
    ...{ AWS_ENDPOINT_URL_CLOUDFORMATION: aws.endpoint, AWS_ENDPOINT_URL_SSM: aws.endpoint, ...env },
  };
  const { findings } = await diagnoseHere(given, async () =>
    examineDeployment({ ...target, version: '1', job: undefined, ...change }),
  );
  advice = new Map(findings.map((finding) => [finding.check, finding.advice]));
  return findings.map(({ check, state, message }) => `${state} ${check}: ${message}`);
}
const RIGHT = 'ok settings: those of the next deployment are right';
const there = (part: string) => `ok stack team-${part}: CREATE_COMPLETE`;
const missing = (...parts: string[]) => parts.map((part) => `fault stack team-${part}: is not there`);
const NO_ALARMS = 'ok alarms: the deployment has none';
const NOWHERE = 'fault service: no stack says where it is';

it('without credentials nothing but the settings is looked at', async () => {
  const none = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_EC2_METADATA_DISABLED: 'true' };
  const unseen = expect.stringMatching(/^fault stacks: could not be looked at: .*[Cc]redentials/);
  expect(await look({}, {}, none)).toEqual([RIGHT, unseen]);
  const wrong = expect.stringMatching(/^fault settings: .*maxWorkers/);
  expect(await look({}, { settings: { ...SETTINGS, maxWorkers: 'x' } }, none)).toEqual([wrong, unseen]);
  expect(await look({}, { settings: { ...SETTINGS, deploymentName: 'other' } }, none)).toEqual([unseen]);
});

it('the service is where an output of the stacks says, or where the operator says', async () => {
  const stacks = { 'team-console': { status, outputs: { ConsoleUrl: 'https://own.example' } } };
  const absent = missing('data', 'api', 'worker');
  const at = (url: string) => `warning service: at ${url} was not looked at: there is no token`;
  expect(await look(stacks)).toEqual([RIGHT, ...absent, there('console'), NO_ALARMS, at('https://own.example')]);
  expect((await look(stacks, { url: 'https://given.example' })).at(-1)).toBe(at('https://given.example'));
  const bare = { 'team-console': { status } };
  expect((await look(bare, { token: 't' })).at(-1)).toBe(NOWHERE);
  const gone = { token: 't', url: 'http://127.0.0.1:1' };
  expect((await look(bare, gone)).at(-1)).toMatch(/^fault service: http:\/\/127\.0\.0\.1:1: /);
});

it('a data stack without its outputs is a fault', async () => {
  const noData = expect.stringMatching(
    /^fault data: could not be looked at: stack team-data has no output JobsTableName/,
  );
  const absent = missing('api', 'worker', 'console');
  expect(await look({ 'team-data': { status } })).toEqual([
    RIGHT,
    there('data'),
    ...absent,
    NO_ALARMS,
    noData,
    NOWHERE,
  ]);
});

/** What is found in the data stack of these settings; the parameters in `set` are there. */
async function lookAtData(settings: object, set: readonly string[] = []) {
  const { env } = deployment;
  const outputs = {
    ...{ JobsTableName: env.JOBS_TABLE, RegistryTableName: env.REGISTRY_TABLE, OutputBucketName: env.OUTPUT_BUCKET },
    ...{ HighQueueUrl: env.QUEUE_URL_HIGH, NormalQueueUrl: env.QUEUE_URL_NORMAL, LowQueueUrl: env.QUEUE_URL_LOW },
    DeliveriesQueueUrl: env.QUEUE_URL_DELIVERIES,
  };
  account.parameters = Object.fromEntries(set.map((name) => [name, 'SecureString']));
  const found = await look({ 'team-data': { status, outputs } }, { settings: { ...SETTINGS, ...settings } });
  const [from, to] = [found.indexOf(NO_ALARMS) + 1, found.indexOf(NOWHERE)];
  return found.slice(from, to).filter((one) => !one.startsWith('ok queue'));
}
const PARAMETERS = 'ok parameters: 0 of the stacks there';
const OUTPUT = expect.stringMatching(/^ok output: /);
const TOKENS = expect.stringMatching(/^\w+ token scopes: /);

it('each secret that the settings need is looked for, and no other', async () => {
  const unset = (name: string, need: string) => `fault secrets: /team-data/${name} is not set; ${need} are set`;
  expect(await lookAtData({})).toEqual([PARAMETERS, 'ok secrets: 0 secrets set', OUTPUT, TOKENS]);
  const perimeter = { perimeterSources: ['203.0.113.0/24'] };
  expect(await lookAtData(perimeter)).toContain(unset('perimeter-tokens', 'perimeterSources'));
  expect(await lookAtData(perimeter, ['/team-data/perimeter-tokens'])).toContain('ok secrets: 1 secret set');
  const telegram = { telegramUsers: { 17: 'viewer' } };
  expect(await lookAtData(telegram)).toContain(unset('telegram-bot-token', 'telegramUsers'));
  expect(await lookAtData(telegram, ['/team-data/telegram-bot-token'])).toContain('ok secrets: 1 secret set');
});

it('a token that loses routes with the next deployment of this name is announced', async () => {
  await new TokenStore(deployment.registry).create({ name: 'nightly', scopes: ['read'] });
  const adviceWith = async (settings: object) => {
    expect((await lookAtData(settings)).at(-1)).toMatch(/^warning token scopes: "nightly"/);
    return advice.get('token scopes');
  };
  const said = [
    await adviceWith({ scopeEnforcement: true }),
    await adviceWith({}),
    await adviceWith({ scopeEnforcement: true, deploymentName: 'other' }),
    await adviceWith({ scopeEnforcement: true, maxWorkers: 'x' }),
  ];
  const later = expect.stringMatching(/^This matters before you set/);
  expect(said).toEqual([expect.stringMatching(/^The next deployment switches/), later, later, later]);
});
