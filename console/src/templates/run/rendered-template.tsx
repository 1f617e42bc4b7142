import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { Schemas } from '../../api/client.ts';
import { TextBlock } from '../../jobs/text/text-block.tsx';

/** What a job with the values of the form would have. No job was created. */
export function RenderedTemplate({ rendered }: { rendered: Schemas['RenderedTemplate'] }) {
  const { prompt, extra_prompt, title, profile, model, project } = rendered;
  const settings = Object.entries({ Title: title, Profile: profile, Model: model, Project: project }).flatMap(
    ([label, value]) => (value === null ? [] : [{ label, value }]),
  );
  return (
    <div role="status" aria-label="Preview">
      <SpaceBetween size="m">
        <Header variant="h2">Preview</Header>
        <TextBlock title="Prompt of the job" text={prompt} none="" />
        {extra_prompt !== null && <TextBlock title="Extra prompt of the job" text={extra_prompt} none="" />}
        {settings.length > 0 && <KeyValuePairs columns={4} items={settings} />}
      </SpaceBetween>
    </div>
  );
}
