import { Validations } from 'aws-cdk-lib';
import * as z from 'zod';

/** A rule's finding that was reviewed and accepted. */
export interface Acknowledgement {
  /** `AwsSolutions-S1`, or with the subject where the rule has one: `AwsSolutions-IAM5[Resource::*]`. */
  readonly rule: string;
  readonly reason: string;
  /** Path of the construct that it applies to, including its children. */
  readonly where: string;
}

const metadataSchema = z.record(z.string(), z.array(z.object({ type: z.string(), data: z.unknown().optional() })));
const dataSchema = z.record(z.string(), z.string());

/** The acknowledgements in a stack's metadata. */
export function acknowledgementsIn(metadata: unknown): Acknowledgement[] {
  return Object.entries(metadataSchema.parse(metadata)).flatMap(([path, entries]) =>
    entries
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) =>
        Object.entries(dataSchema.parse(data)).map(([id, reason]) => ({
          rule: id.replace(/^Annotation::/, ''),
          reason,
          where: path.slice(1),
        })),
      ),
  );
}
