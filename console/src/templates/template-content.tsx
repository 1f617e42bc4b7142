import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { exactTime } from '../format/time-preference.ts';
import { TextBlock } from '../jobs/text/text-block.tsx';
import { ListTable } from '../tables/list-table.tsx';
import type { Template, TemplateParameter } from './template-queries.ts';
import { memberText, parameterRules, TEMPLATE_LABELS, type TemplateMember } from './template-texts.ts';

const SETTINGS = [
  ...(['title', 'profile', 'model', 'priority', 'timeout', 'retries'] as const),
  ...(['rule_ids', 'tags', 'project', 'cwd', 'environment'] as const),
] satisfies TemplateMember[];

/** A version of a template. */
export function TemplateContent({ template }: { template: Template }) {
  const settings = SETTINGS.map((member) => ({
    label: TEMPLATE_LABELS[member],
    value: memberText(template, member),
  })).filter(({ value }) => value !== '');
  return (
    <SpaceBetween size="m">
      <ListTable
        variant="container"
        wrapLines
        trackBy="name"
        ariaLabels={{ tableLabel: 'Parameters' }}
        header={<Header variant="h2">Parameters</Header>}
        items={template.parameters}
        columnDefinitions={COLUMNS}
        empty="No parameters."
      />
      <TextBlock title="Prompt" text={template.prompt} none="" />
      {template.extra_prompt !== null && <TextBlock title="Extra prompt" text={template.extra_prompt} none="" />}
      <Container header={<Header variant="h2">Settings</Header>}>
        <KeyValuePairs columns={3} items={[...settings, { label: 'Saved', value: exactTime(template.updated_at) }]} />
      </Container>
    </SpaceBetween>
  );
}

const COLUMNS: TableProps.ColumnDefinition<TemplateParameter>[] = [
  { id: 'name', header: 'Name', isRowHeader: true, minWidth: 120, cell: ({ name }) => <code>{name}</code> },
  {
    id: 'type',
    header: 'Type',
    minWidth: 110,
    cell: ({ type, required }) => (required ? type : `${type}, optional`),
  },
  { id: 'description', header: 'Description', minWidth: 220, cell: ({ description }) => description ?? '-' },
  {
    id: 'rules',
    header: 'Values',
    minWidth: 200,
    cell: (parameter) => {
      const rules = parameterRules(parameter);
      return rules.length === 0 ? '-' : rules.map((rule) => <div key={rule}>{rule}</div>);
    },
  },
];
