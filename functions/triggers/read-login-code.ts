import type { Logger } from '@aws-lambda-powertools/logger';
import ipaddr from 'ipaddr.js';
import { askLogin, type LoginReply, loginQuestionSchema } from '../../lib/accounts/ask-login.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';

/** In the workers' network: asks the process of a login for its code, and does nothing else. */
export const handler = handleTrigger('read-login-code', readLoginCode);

/** @throws Error if the address is none of a private network */
async function readLoginCode(event: unknown, log: Logger): Promise<LoginReply> {
  const question = loginQuestionSchema.parse(event);
  log.appendKeys({ login_id: question.login_id });
  const range = ipaddr.parse(question.listener.address).range();
  if (range !== 'private' && range !== 'loopback' && range !== 'uniqueLocal')
    throw new Error(`a worker's address is private; received one that is ${range}`);
  return await askLogin(question);
}
