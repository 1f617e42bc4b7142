import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { type IncomingMessage, Server } from 'node:http';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { doors } from '../../lib/contract/routes/routes.ts';
import { splitTarget } from '../../lib/local/gateway/gateway-event.ts';
import { resourceMatcher } from '../../lib/local/gateway/gateway-resources.ts';
import { neededAccess } from './needed-access.ts';

/**
 * Loaded by `node --import 'record-calls.ts?to=FILE'` into a local run: writes to the file which function has accessed
 * what of AWS, a line each, as `jobs.create jobs: write`.
 */
const file = new URL(import.meta.url).searchParams.get('to') ?? '';
const match = resourceMatcher(doors);
const caller = new AsyncLocalStorage<string>();
const known = new Set<string>();

// Calls belong to the request in whose course they are made.
const { emit } = Server.prototype;
Server.prototype.emit = function (this: Server, name: string | symbol, ...args: unknown[]): boolean {
  const deliver = () => Reflect.apply(emit, this, [name, ...args]) as boolean;
  if (name !== 'request') return deliver();
  const { method = 'GET', url = '/' } = args[0] as IncomingMessage;
  return caller.run(match(method, splitTarget(url).path).functionId, deliver);
} as typeof emit;

// All clients of the SDK share it.
const client = Object.getPrototypeOf(DynamoDBClient.prototype) as {
  send(command: object, ...rest: unknown[]): unknown;
};
const { send } = client;
client.send = function (command, ...rest) {
  const functionId = caller.getStore();
  if (functionId !== undefined) note(functionId, command);
  return Reflect.apply(send, this, [command, ...rest]);
};

function note(functionId: string, command: object): void {
  const { input } = command as { readonly input: unknown };
  const { JOBS_TABLE: jobsTable = '', QUEUE_URL_DELIVERIES: deliveriesUrl = '' } = process.env;
  const call = { command: command.constructor.name, input, jobsTable, deliveriesUrl };
  for (const access of neededAccess(call)) {
    const line = `${functionId} ${access}\n`;
    if (!known.has(line)) appendFileSync(file, line);
    known.add(line);
  }
}
