import type { RestApiBase } from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Deployment } from '../../platform/config/deployment.ts';
import type { DataStack } from '../data/data-stack.ts';

/** The resources that alarms and the dashboard monitor. */
export interface OperationsProps {
  readonly data: DataStack;
  readonly deployment: Deployment;
  readonly api: RestApiBase;
  readonly countJobs: IFunction;
  readonly reconcileJobs: IFunction;
}
