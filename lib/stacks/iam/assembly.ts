import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type Acknowledgement, acknowledgementsIn } from './acknowledgements.ts';

/** A stack as synthesis has written it. */
export interface WrittenStack {
  readonly name: string;
  readonly template: { readonly Resources: Readonly<Record<string, unknown>> };
  readonly acknowledgements: readonly Acknowledgement[];
}

const manifestSchema = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z.looseObject({ templateFile: z.string().optional() }).optional(),
      additionalMetadataFile: z.string().optional(),
    }),
  ),
});
const templateSchema = z.looseObject({ Resources: z.record(z.string(), z.unknown()) });

/** Reads what `cdk synth` has written into a folder. @throws Error if there is nothing */
export function readAssembly(folder: string): WrittenStack[] {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const { artifacts } = manifestSchema.parse(read('manifest.json'));
  return Object.entries(artifacts).flatMap(([name, { type, properties, additionalMetadataFile }]) => {
    if (type !== 'aws:cloudformation:stack' || properties?.templateFile === undefined) return [];
    const metadata = additionalMetadataFile === undefined ? {} : read(additionalMetadataFile);
    const template = templateSchema.parse(read(properties.templateFile));
    return [{ name, template, acknowledgements: acknowledgementsIn(metadata) }];
  });
}
