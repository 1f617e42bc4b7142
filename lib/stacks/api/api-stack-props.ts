import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Door } from '../../contract/route.ts';
import type { ConfigDocument } from '../../contract/schemas/config.ts';
import type { Deployment } from '../../platform/config/deployment.ts';
import type { DataStack } from '../data/data-stack.ts';

export interface ApiStackProps {
  readonly data: DataStack;
  readonly deployment: Deployment;
  /** The version in `GET /health`. */
  readonly version: string;
  /** The code of a function. */
  readonly codeOf: (functionId: string) => Code;
  /** Rules and profiles that the deployment imports. */
  readonly config?: ConfigDocument | undefined;
  /** Default: the routing table. */
  readonly served?: readonly Door[];
}
