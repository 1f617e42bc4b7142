import Checkbox from '@cloudscape-design/components/checkbox';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Multiselect from '@cloudscape-design/components/multiselect';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { EVENT_CHOICES } from '../events/event-words.ts';
import { ChoiceField } from '../form/choice-field.tsx';
import { ProjectField } from '../form/project-field.tsx';
import { type FILTERS, type SubscriptionErrors, type SubscriptionFields, wayOf } from './subscription-fields.ts';
import type { Subscription } from './subscription-queries.ts';
import { QUIET_TEXT } from './subscription-words.ts';
import { choiceOf, storedText, TARGET_CHOICES } from './target-kinds.ts';

interface SubscriptionFormProps {
  readonly fields: SubscriptionFields;
  readonly errors: SubscriptionErrors;
  /** The subscription to edit; undefined for a new one. */
  readonly stored: Subscription | undefined;
  readonly onChange: (changed: Partial<SubscriptionFields>) => void;
}

const QUIET = [
  { value: 'quiet', label: 'What needs a person', description: `${QUIET_TEXT}. Nothing else is sent.` },
  { value: 'chosen', label: 'Chosen events' },
] as const;

const DIGEST_CHOICES = [
  { value: 'none', label: 'At once' },
  {
    value: 'hourly',
    label: 'Once an hour',
    description: 'One message after each full hour in which something happened.',
  },
] as const;

const FILTER_LABELS = {
  profile: ['Profile', ''],
  template: ['Template', ''],
  automation: ['Automation', 'Its ID.'],
  creator: ['Created by', 'A token or person, such as token:ci.'],
} as const;

/** All settings of a subscription. */
export function SubscriptionForm(props: SubscriptionFormProps) {
  return (
    <SpaceBetween size="m">
      <Target {...props} />
      <What {...props} />
    </SpaceBetween>
  );
}

/** Its name, where it sends, and who may answer there. */
function Target({ fields, errors, stored, onChange }: SubscriptionFormProps) {
  const way = wayOf(fields);
  const isSame = stored !== undefined && choiceOf(stored)?.value === fields.way;
  return (
    <Container header={<Header variant="h2">Where it sends</Header>}>
      <SpaceBetween size="m">
        {stored === undefined && (
          <FormField label="Name" errorText={errors.name}>
            <Input
              value={fields.name}
              placeholder="On call"
              onChange={({ detail }) => onChange({ name: detail.value })}
            />
          </FormField>
        )}
        <ChoiceField
          label="To"
          value={fields.way}
          choices={TARGET_CHOICES}
          onChange={(chosen) => onChange({ way: chosen, typed: {} })}
        />
        {way?.fields.map((field) => (
          <FormField
            key={`${way.value} ${field.name}`}
            label={field.label}
            description={isSame && field.isSecret ? 'Leave it empty to keep the current one.' : field.hint}
            errorText={errors[field.name]}
          >
            <Input
              value={fields.typed[field.name] ?? (isSame ? storedText(stored, field) : '')}
              type={field.isSecret ? 'password' : 'text'}
              autoComplete={false}
              spellcheck={false}
              onChange={({ detail }) => onChange({ typed: { ...fields.typed, [field.name]: detail.value } })}
            />
          </FormField>
        ))}
        {isSame && way?.kind === 'webhook' && (
          <Checkbox
            checked={fields.rotateSecret}
            description="Calls are signed with both secrets for a day. The new one is shown once."
            onChange={({ detail }) => onChange({ rotateSecret: detail.checked })}
          >
            Generate a new secret
          </Checkbox>
        )}
        {way?.canAnswer && (
          <FormField
            label="Who may answer"
            description={`IDs of persons in ${way.kind === 'slack' ? 'Slack (open a profile, then Copy member ID)' : 'Telegram (numbers)'}, separated by commas. Presses of others change nothing. Empty: nobody.`}
          >
            <Input
              value={fields.answersFrom}
              spellcheck={false}
              placeholder={way.kind === 'slack' ? 'U024BE7LH' : '123456789'}
              onChange={({ detail }) => onChange({ answersFrom: detail.value })}
            />
          </FormField>
        )}
      </SpaceBetween>
    </Container>
  );
}

/** What it sends, of what, and when. */
function What({ fields, errors, onChange }: SubscriptionFormProps) {
  const filter = (name: (typeof FILTERS)[number], value: string) =>
    onChange({ filter: { ...fields.filter, [name]: value } });
  return (
    <Container header={<Header variant="h2">What it sends</Header>}>
      <SpaceBetween size="m">
        <ChoiceField
          label="Events"
          value={fields.isQuiet ? 'quiet' : 'chosen'}
          choices={QUIET}
          onChange={(chosen) => onChange({ isQuiet: chosen === 'quiet' })}
        />
        {!fields.isQuiet && (
          <FormField label="Chosen events" errorText={errors.events}>
            <Multiselect
              selectedOptions={EVENT_CHOICES.filter(({ value }) => fields.events.includes(value))}
              options={EVENT_CHOICES}
              placeholder="Choose events"
              deselectAriaLabel={({ label }) => `Remove ${label}`}
              onChange={({ detail }) =>
                onChange({ events: detail.selectedOptions.flatMap(({ value }) => value ?? []) })
              }
            />
          </FormField>
        )}
        <ChoiceField
          label="When"
          value={fields.digest}
          choices={DIGEST_CHOICES}
          onChange={(digest) => onChange({ digest })}
        />
        <ColumnLayout columns={3}>
          <ProjectField
            description="Only of this project. Empty: of all."
            value={fields.filter.project}
            onChange={(value) => filter('project', value)}
          />
          {(['profile', 'template', 'automation', 'creator'] as const).map((name) => (
            <FormField key={name} label={FILTER_LABELS[name][0]} description={FILTER_LABELS[name][1] || 'Empty: all.'}>
              <Input
                value={fields.filter[name]}
                spellcheck={false}
                onChange={({ detail }) => filter(name, detail.value)}
              />
            </FormField>
          ))}
        </ColumnLayout>
      </SpaceBetween>
    </Container>
  );
}
