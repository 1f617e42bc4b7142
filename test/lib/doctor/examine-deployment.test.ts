import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type DeploymentTarget, examineDeployment } from '../../../lib/doctor/deployment/examine-deployment.ts';

/** The outputs of the stacks that exist, by the names of these; undefined: nothing can be read. */
let stacks: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;

/** CloudFormation as far as the doctor asks it. */
const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { Action = '', StackName = '' } = Object.fromEntries(new URLSearchParams(body));
    const outputs = stacks?.[StackName];
    const refusal = stacks === undefined ? 'Access denied' : `Stack ${StackName} does not exist`;
    const error = `<Error><Code>ValidationError</Code><Message>${refusal}</Message></Error>`;
    const members = Object.entries(outputs ?? {}).map(
      ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    );
    const stack = `<StackName>${StackName}</StackName><StackStatus>CREATE_COMPLETE</StackStatus>`;
    const described = `<Stacks><member>${stack}<Outputs>${members.join('')}</Outputs></member></Stacks>`;
    const result = Action === 'DescribeStacks' ? described : '<StackResourceSummaries></StackResourceSummaries>';
    const found = `<${Action}Response><${Action}Result>${result}</${Action}Result></${Action}Response>`;
    response
      .writeHead(outputs === undefined ? 400 : 200, { 'content-type': 'text/xml' })
      .end(outputs === undefined ? `<ErrorResponse>${error}</ErrorResponse>` : found);
  });
});
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const env = {
    ...{ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
    AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

const SETTINGS = { timeoutUnit: 'seconds', deploymentName: 'team' };
async function look(change: Partial<DeploymentTarget> = {}) {
  const target = { deploymentName: 'team', settings: SETTINGS, file: {}, url: undefined, token: undefined };
  const found = await examineDeployment({ ...target, version: '1', job: undefined, ...change });
  return found.map(({ check, state, message }) => `${state} ${check}: ${message}`);
}
const RIGHT = 'ok settings: those of the next deployment are right';
const missing = (...parts: string[]) => parts.map((part) => `fault stack team-${part}: is not there`);
const NO_ALARMS = 'ok alarms: the deployment has none';

it('without a right to read the stacks nothing else is looked at', async () => {
  stacks = undefined;
  expect(await look()).toEqual([RIGHT, 'fault stacks: could not be looked at: Access denied']);
});

it('settings that are wrong are a fault, and those of another deployment are not judged', async () => {
  stacks = undefined;
  const [found] = await look({ settings: { ...SETTINGS, maxWorkers: 'x' } });
  expect(found).toMatch(/^fault settings: .*maxWorkers/);
  expect(await look({ settings: { ...SETTINGS, deploymentName: 'other' } })).toEqual([
    'fault stacks: could not be looked at: Access denied',
  ]);
});

it('the service is where an output of the stacks says, or where the operator says', async () => {
  stacks = { 'team-console': { ConsoleUrl: 'https://own.example' } };
  const absent = missing('data', 'api', 'worker');
  const console = 'ok stack team-console: CREATE_COMPLETE';
  const at = (url: string) => `warning service: at ${url} was not looked at: there is no token`;
  expect(await look()).toEqual([RIGHT, ...absent, console, NO_ALARMS, at('https://own.example')]);
  expect((await look({ url: 'https://given.example' })).at(-1)).toBe(at('https://given.example'));
  stacks = { 'team-console': {} };
  expect((await look({ token: 't' })).at(-1)).toBe('fault service: no stack says where it is');
  expect((await look({ token: 't', url: 'http://127.0.0.1:1' })).at(-1)).toMatch(/^fault service: http:\/\/127/);
});

it('the data are looked at only if their stack is there', async () => {
  stacks = { 'team-data': {} };
  const noData = expect.stringMatching(
    /^fault data: could not be looked at: stack team-data has no output JobsTableName/,
  );
  expect(await look()).toEqual([
    ...[RIGHT, 'ok stack team-data: CREATE_COMPLETE', ...missing('api', 'worker', 'console'), NO_ALARMS, noData],
    'fault service: no stack says where it is',
  ]);
});
