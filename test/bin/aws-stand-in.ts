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
}

/** What the stand-in knows; tests change it as they go. */
export interface StandInAccount {
  stacks: Record<string, StandInStack>;
  /** Types of SSM's parameters, by name. */
  parameters: Record<string, 'String' | 'SecureString'>;
}

const DESCRIBE_PARAMETERS = 'AmazonSSM.DescribeParameters';
const describeParameters = z.object({ ParameterFilters: z.tuple([z.object({ Values: z.array(z.string()) })]) });

/** CloudFormation and SSM on loopback, as far as the doctor asks them: it speaks their protocols, XML and JSON. */
export async function startAwsStandIn(
  account: StandInAccount,
): Promise<{ endpoint: string; asked: string[]; close(): Promise<void> }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const target = request.headers['x-amz-target'];
    return void (async () => {
      const body = await read(request);
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
  { status, reason, outputs = {}, alarms = [], parameters = [] }: StandInStack,
): string {
  if (action === 'ListStackResources') {
    const types = [
      ...alarms.map((id) => ['AWS::CloudWatch::Alarm', id]),
      ...parameters.map((id) => ['AWS::SSM::Parameter', id]),
      ['AWS::SQS::Queue', 'a queue'],
    ];
    const members = types.map(([type, id]) => member({ ResourceType: type ?? '', PhysicalResourceId: id ?? '' }));
    return `<StackResourceSummaries>${members.join('')}</StackResourceSummaries>`;
  }
  const pairs = Object.entries(outputs).map(([OutputKey, OutputValue]) => member({ OutputKey, OutputValue }));
  const fields = { StackName: name, StackStatus: status, ...(reason !== undefined && { StackStatusReason: reason }) };
  return `<Stacks><member>${elements(fields)}<Outputs>${pairs.join('')}</Outputs></member></Stacks>`;
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
