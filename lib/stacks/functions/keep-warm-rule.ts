import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { KEEP_WARM, WARM_FUNCTIONS } from '../../contract/keep-warm.ts';

/** Minutes between two calls of a function. Lambda keeps an idle one for longer, as a rule. */
const EVERY_MINUTES = 5;

/**
 * Calls a function of `WARM_FUNCTIONS` regularly, so that a request seldom waits for its start. The functions take turns
 * by the minute: a new account may run ten at once.
 */
export function keepWarm(scope: Construct, functionId: string, called: IFunction): void {
  const number = (WARM_FUNCTIONS as readonly string[]).indexOf(functionId);
  if (number === -1) return;
  const schedule = Schedule.cron({ minute: `${number % EVERY_MINUTES}/${EVERY_MINUTES}` });
  const target = new LambdaTarget(called, {
    event: RuleTargetInput.fromObject(KEEP_WARM),
    retryAttempts: 0,
    maxEventAge: Duration.minutes(1),
  });
  new Rule(scope, 'KeepWarm', { schedule, targets: [target] });
}
