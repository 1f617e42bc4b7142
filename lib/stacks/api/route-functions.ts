import { createHash } from 'node:crypto';
import { Duration, NestedStack } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { KEEP_WARM, WARM_FUNCTIONS } from '../../contract/keep-warm.ts';
import { type Door, wholePath } from '../../contract/route.ts';
import { loginReaderName, makeExportsName, readFeedName, scaleWorkersName } from '../data/shared-names.ts';
import { FUNCTION_MEMORY } from '../functions/function-memory.ts';
import { apiEnvironment } from '../functions/process-environment.ts';
import { ServiceFunction } from '../functions/service-function.ts';
import { accessStatements, type Served } from '../iam/access-statements.ts';
import { type Endpoint, INTEGRATION_TIMEOUTS } from './api-document.ts';
import type { ApiStackProps } from './api-stack-props.ts';

/**
 * Number of nested stacks for the functions. Each function has three resources and about 9 KB of template, so 200
 * routes use a fifth of a stack's limits. Changing it moves functions, which loses their logs.
 */
const NESTED_STACKS = 6;
/**
 * Nested stacks that are created at once. All of them together make 59 functions, roles and logs, which IAM and Lambda
 * throttle in a first deployment; CloudFormation then gives up instead of waiting.
 */
const AT_ONCE = 2;

interface RouteFunctionsProps extends ApiStackProps {
  /** Digests of the origin secrets, `,`-separated. */
  readonly originDigests: string;
}

/** A function for each door, in nested stacks. */
export class RouteFunctions extends Construct {
  readonly endpoints: readonly (Endpoint & { readonly id: string })[];
  readonly #stacks = new Map<number, NestedStack>();

  constructor(scope: Construct, id: string, props: RouteFunctionsProps & { readonly served: readonly Door[] }) {
    super(scope, id);
    this.endpoints = props.served.map((route) => {
      const path = wholePath(route);
      const { resource } = routeFunction(
        this.#stackOf(route.id),
        { ...route, label: `${route.method} ${path}` },
        props,
      );
      return { id: route.id, method: route.method, path, mode: route.mode, functionArn: resource.functionArn };
    });
    const stacks = [...this.#stacks].toSorted(([one], [other]) => one - other).map(([, stack]) => stack);
    for (const [at, stack] of stacks.entries()) {
      const earlier = stacks[at - AT_ONCE];
      if (earlier !== undefined) stack.addStackDependency(earlier);
    }
  }

  /** Depends on the id only, so that a new route moves no other route's function. */
  #stackOf(functionId: string): NestedStack {
    const number = (createHash('sha256').update(functionId).digest().readUInt32BE() % NESTED_STACKS) + 1;
    const known = this.#stacks.get(number);
    if (known !== undefined) return known;
    const made = new NestedStack(this, String(number), { description: "Promptq: functions of the API's routes" });
    this.#stacks.set(number, made);
    return made;
  }
}

/** A function behind API Gateway, with the environment and the grants that its route declares. */
export function routeFunction(
  scope: Construct,
  { id, mode, label, ...route }: Served & Pick<Endpoint, 'mode'> & { readonly id: string; readonly label: string },
  { data, deployment, version, codeOf, originDigests }: RouteFunctionsProps,
): ServiceFunction {
  const made = new ServiceFunction(scope, constructId(id), {
    description: label,
    code: codeOf(id),
    environment: {
      ...apiEnvironment(data, deployment, { version, originDigests }),
      ...(route.access.loginCode && { LOGIN_READER_FUNCTION: loginReaderName(data) }),
      ...(route.access.exports && { MAKE_EXPORTS_FUNCTION: makeExportsName(data) }),
      ...(route.access.feedReaders && { READ_FEED_FUNCTION: readFeedName(data) }),
      ...(route.access.scaling && { SCALE_WORKERS_FUNCTION: scaleWorkersName(data) }),
    },
    statements: accessStatements(data, route),
    memorySize: FUNCTION_MEMORY[mode],
    timeout: INTEGRATION_TIMEOUTS[mode],
    deployment,
  });
  if (deployment.warmFunctions) keepWarm(made, id, made.resource);
  return made;
}

/** `jobs.read` → `JobsRead`. */
function constructId(functionId: string): string {
  return functionId.replaceAll(/(?:^|[.-])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Minutes between two calls of a function. Lambda keeps an idle one for longer, as a rule. */
const EVERY_MINUTES = 5;

/**
 * Calls a function of `WARM_FUNCTIONS` regularly, so that a request seldom waits for its start. The functions take turns
 * by the minute: a new account may run ten at once.
 */
function keepWarm(scope: Construct, functionId: string, called: IFunction): void {
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
