import type { Logger } from '@aws-lambda-powertools/logger';
import ipaddr from 'ipaddr.js';
import { askLogin, type LoginReply, loginQuestionSchema } from '../../lib/accounts/ask-login.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';

/** Runs in the workers' network and only asks the process of a login for its code. */
export const handler = handleTrigger('read-login-code', readLoginCode);

/** @throws Error if the address is not private */
async function readLoginCode(event: unknown, log: Logger): Promise<LoginReply> {
  const question = loginQuestionSchema.parse(event);
  log.appendKeys({ login_id: question.login_id });
  const range = ipaddr.parse(question.listener.address).range();
  if (range !== 'private' && range !== 'loopback' && range !== 'uniqueLocal')
    throw new Error(`expected the private address of a worker; received an address of the range ${range}`);
  return await askLogin(question);
}
