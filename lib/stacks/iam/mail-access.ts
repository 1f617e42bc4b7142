import { Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import type { Deployment } from '../../platform/config/deployment.ts';
import type { DataStack } from '../data/data-stack.ts';
import { IAM_EXCEPTIONS } from './iam-exceptions.ts';

const RESOURCES = ['identity', 'configuration-set'] as const;

/** Permission to send mails from the deployment's address; none without one. */
export function mailStatements(data: DataStack, { mailFrom }: Pick<Deployment, 'mailFrom'>): PolicyStatement[] {
  if (mailFrom === undefined) return [];
  return [
    new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: RESOURCES.map((resource) => data.formatArn({ service: 'ses', resource, resourceName: '*' })),
      conditions: { StringEquals: { 'ses:FromAddress': mailFrom } },
    }),
  ];
}

/** Acknowledges for cdk-nag, which requires the finding's exact text, why a role may send by any identity. */
export function acknowledgeMail(scope: IConstruct): void {
  for (const resource of RESOURCES) {
    const arn = `arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:${resource}/*`;
    const id = `AwsSolutions-IAM5[Resource::${arn}]`;
    Validations.of(scope).acknowledge({ id, reason: IAM_EXCEPTIONS.mail.reason });
  }
}
