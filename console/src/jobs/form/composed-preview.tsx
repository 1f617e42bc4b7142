import Alert from '@cloudscape-design/components/alert';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import { useQuery } from '@tanstack/react-query';
import { AGENT_DEFINITIONS } from '../../../../lib/contract/agents.ts';
import { composePrompt, promptLength } from '../../../../lib/contract/compose-prompt.ts';
import { profilesQuery, rulesQuery } from '../../form/catalog-choices.ts';
import type { JobFields } from './job-fields.ts';
import '../text/job-text.css';

/** The agents, and undefined for one of a later version. */
const DEFINITIONS: Readonly<Partial<Record<string, { maxPromptLength: number }>>> = AGENT_DEFINITIONS;

/** The prompt as the agent receives it, composed as the worker does. */
export function ComposedPreview({ fields }: { fields: JobFields }) {
  const rules = useQuery(rulesQuery);
  const profiles = useQuery(profilesQuery);
  const texts = fields.rule_ids.map((id) => rules.data?.find((rule) => rule.id === id)?.text ?? `[rule ${id}]`);
  const text = composePrompt(texts, fields);
  const length = promptLength(text);
  const profile = profiles.data?.find(({ name, is_default }) =>
    fields.profile ? name === fields.profile : is_default,
  );
  const limit = profile && DEFINITIONS[profile.agent]?.maxPromptLength;
  return (
    <>
      {limit !== undefined && length > limit && (
        <Alert type="error">
          {`The composed prompt has ${length.toLocaleString('en')} characters. ${profile?.agent} accepts at most ${limit.toLocaleString('en')}.`}
        </Alert>
      )}
      <ExpandableSection
        headerText={`Prompt as sent to the agent, ${length === 1 ? '1 character' : `${length.toLocaleString('en')} characters`}`}
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
        <pre className="job-text" tabIndex={0}>
          {text || 'No prompt yet.'}
        </pre>
      </ExpandableSection>
    </>
  );
}
