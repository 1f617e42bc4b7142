import { Validations } from 'aws-cdk-lib';
import * as z from 'zod';

/** A finding of a rule that was looked at and left. */
export interface Acknowledgement {
  /** `AwsSolutions-S1`; with what it is about, where the rule says: `AwsSolutions-IAM5[Resource::*]`. */
  readonly rule: string;
  readonly reason: string;
  /** Path of the construct to which, and to all within, it applies. */
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
