import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validations } from 'aws-cdk-lib';
import * as z from 'zod';

/** A stack in the synthesized assembly. */
interface WrittenStack {
  readonly name: string;
  readonly template: { readonly Resources: Readonly<Record<string, unknown>> };
  readonly acknowledgements: readonly Acknowledgement[];
}

const manifestSchema = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z.looseObject({ templateFile: z.string().optional(), file: z.string().optional() }).optional(),
      additionalMetadataFile: z.string().optional(),
    }),
  ),
});
const templateSchema = z.looseObject({ Resources: z.record(z.string(), z.unknown()) });
const assetsSchema = z.object({
  files: z.record(z.string(), z.object({ displayName: z.string(), source: z.looseObject({ path: z.string() }) })),
});

/**
 * Reads the stacks that `cdk synth` wrote to a folder, each followed by its nested stacks. @throws Error if there are
 * none
 */
export function readAssembly(folder: string): WrittenStack[] {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const { artifacts } = manifestSchema.parse(read('manifest.json'));
  const nestedIn = (name: string): WrittenStack[] => {
    const file = artifacts[`${name}.assets`]?.properties?.file;
    const assets = file === undefined ? [] : Object.values(assetsSchema.parse(read(file)).files);
    return assets
      .filter(({ source }) => source.path.endsWith('.nested.template.json'))
      .map(({ displayName, source }) => ({
        name: `${name}/${displayName.replace(/ Nested Stack Template$/, '')}`,
        template: templateSchema.parse(read(source.path)),
        // A nested stack's are in the metadata of its parent.
        acknowledgements: [],
      }))
      .toSorted((one, other) => one.name.localeCompare(other.name));
  };
  return Object.entries(artifacts).flatMap(([name, { type, properties, additionalMetadataFile }]) => {
    if (type !== 'aws:cloudformation:stack' || properties?.templateFile === undefined) return [];
    const metadata = additionalMetadataFile === undefined ? {} : read(additionalMetadataFile);
    const template = templateSchema.parse(read(properties.templateFile));
    return [{ name, template, acknowledgements: acknowledgementsIn(metadata) }, ...nestedIn(name)];
  });
}

/** A rule's finding that was reviewed and accepted. */
interface Acknowledgement {
  /** `AwsSolutions-S1`, or with the subject where the rule has one: `AwsSolutions-IAM5[Resource::*]`. */
  readonly rule: string;
  readonly reason: string;
  /** Path of the construct that it applies to, including its children. */
  readonly where: string;
}

const metadataSchema = z.record(z.string(), z.array(z.object({ type: z.string(), data: z.unknown().optional() })));
const dataSchema = z.record(z.string(), z.string());

/** The acknowledgements in a stack's metadata. */
function acknowledgementsIn(metadata: unknown): Acknowledgement[] {
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
