import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';

/** A stack as the stand-in describes it. */
interface StandInStack {
  readonly status: string;
  readonly reason?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly alarms?: readonly string[];
  readonly parameters?: readonly string[];
  /** Environments of functions, by their logical ids. A function's name is its stack's and its id. */
  readonly functions?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** What the stand-in knows; tests change it as they go. */
export interface StandInAccount {
  stacks: Record<string, StandInStack>;
  /** Types of SSM's parameters, by name. */
  parameters: Record<string, 'String' | 'SecureString'>;
}

const DESCRIBE_PARAMETERS = 'AmazonSSM.DescribeParameters';
const describeParameters = z.object({ ParameterFilters: z.tuple([z.object({ Values: z.array(z.string()) })]) });

/** CloudFormation, SSM and Lambda on loopback, as far as operators' commands ask them: it speaks their protocols. */
export async function startAwsStandIn(
  account: StandInAccount,
): Promise<{ endpoint: string; asked: string[]; close(): Promise<void> }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const target = request.headers['x-amz-target'];
    return void (async () => {
      const body = await read(request);
      const configured = /^\/2015-03-31\/functions\/([^/]+)\/configuration$/.exec(request.url ?? '')?.[1];
      if (configured !== undefined) {
        asked.push('GetFunctionConfiguration');
        const answer = lambda(account, configured);
        response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.text);
        return;
      }
      const action = target === undefined ? new URLSearchParams(body).get('Action') : String(target);
      // A client of another test whose server had this port before may still retry: its requests are not this account's.
      const isForeign = action === null || (target !== undefined && target !== DESCRIBE_PARAMETERS);
      if (isForeign) {
        response.writeHead(400).end();
        return;
      }
      const answer = target === undefined ? cloudFormation(account, body) : ssm(account, body);
      asked.push(action);
      response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.text);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function cloudFormation({ stacks }: StandInAccount, body: string): Answer {
  const query = new URLSearchParams(body);
  const name = query.get('StackName') ?? '';
  const action = query.get('Action') ?? '';
  const stack = stacks[name];
  if (stack === undefined) {
    const message = `Stack with id ${name} does not exist`;
    return xml(
      400,
      `<ErrorResponse><Error><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`,
    );
  }
  return xml(
    200,
    `<${action}Response><${action}Result>${resultOf(action, name, stack)}</${action}Result></${action}Response>`,
  );
}

function resultOf(
  action: string,
  name: string,
  { status, reason, outputs = {}, alarms = [], parameters = [], functions = {} }: StandInStack,
): string {
  if (action === 'ListStackResources') {
    const types = [
      ...alarms.map((id) => ['AWS::CloudWatch::Alarm', id]),
      ...parameters.map((id) => ['AWS::SSM::Parameter', id]),
      ['AWS::SQS::Queue', 'a queue'],
    ];
    const members = [
      ...types.map(([type = '', id = '']) => member({ ResourceType: type, PhysicalResourceId: id })),
      ...Object.keys(functions).map((id) =>
        member({
          ResourceType: 'AWS::Lambda::Function',
          LogicalResourceId: id,
          PhysicalResourceId: `${name}-${id}`,
        }),
      ),
    ];
    return `<StackResourceSummaries>${members.join('')}</StackResourceSummaries>`;
  }
  const pairs = Object.entries(outputs).map(([OutputKey, OutputValue]) => member({ OutputKey, OutputValue }));
  const fields = { StackName: name, StackStatus: status, ...(reason !== undefined && { StackStatusReason: reason }) };
  return `<Stacks><member>${elements(fields)}<Outputs>${pairs.join('')}</Outputs></member></Stacks>`;
}

function lambda({ stacks }: StandInAccount, name: string): Answer {
  const all = Object.entries(stacks).flatMap(([stack, { functions = {} }]) =>
    Object.entries(functions).map(([id, Variables]) => [`${stack}-${id}`, Variables] as const),
  );
  const [, Variables] = all.find(([known]) => known === name) ?? [];
  const found = Variables !== undefined;
  const text = JSON.stringify(found ? { FunctionName: name, Environment: { Variables } } : { Message: 'not found' });
  return { status: found ? 200 : 404, type: 'application/json', text };
}

function ssm({ parameters }: StandInAccount, body: string): Answer {
  const [{ Values }] = describeParameters.parse(JSON.parse(body)).ParameterFilters;
  const Parameters = Values.filter((name) => name in parameters).map((Name) => ({ Name, Type: parameters[Name] }));
  return { status: 200, type: 'application/x-amz-json-1.1', text: JSON.stringify({ Parameters }) };
}

function member(fields: Readonly<Record<string, string>>): string {
  return `<member>${elements(fields)}</member>`;
}

function elements(fields: Readonly<Record<string, string>>): string {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return Object.entries(fields)
    .map(([name, value]) => `<${name}>${escaped(value)}</${name}>`)
    .join('');
}

function xml(status: number, text: string): Answer {
  return { status, type: 'text/xml', text };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
