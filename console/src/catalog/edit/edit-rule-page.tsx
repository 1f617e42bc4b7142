import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { rulesQuery } from '../../form/catalog-choices.ts';
import { AdminsOnly } from '../../page/admins-only.tsx';
import { PageError } from '../../page/page-error.tsx';
import { PageLoading } from '../../page/page-loading.tsx';
import { usePageTitle } from '../../page/page-title.ts';
import { EntryEditor } from './entry-editor.tsx';
import type { EntryFormPart } from './entry-kind.ts';
import { MissingEntry } from './missing-entry.tsx';
import { RULE_KIND, type RuleFields, ruleFieldsOf } from './rule-kind.ts';

/** Creates a rule, or edits the rule in the address. */
export function EditRulePage() {
  const { id } = useParams();
  usePageTitle(id === undefined ? 'New rule' : 'Edit rule');
  return (
    <AdminsOnly title="Rules">
      <RuleEditor key={id} id={id} />
    </AdminsOnly>
  );
}

function RuleEditor({ id }: { id: string | undefined }) {
  const rules = useQuery(rulesQuery);
  if (rules.error && !rules.data)
    return <PageError error={rules.error} what="The rules" retry={() => void rules.refetch()} />;
  if (!rules.data) return <PageLoading what="the rules" />;
  const rule = rules.data.find((one) => one.id === id);
  if (id !== undefined && rule === undefined) return <MissingEntry what="rule" name={id} list="rules" />;
  return (
    <EntryEditor
      kind={RULE_KIND}
      opened={ruleFieldsOf(rule)}
      present={rule}
      taken={rules.data.map((one) => one.id)}
      reload={async () => await rules.refetch({ throwOnError: true })}
    >
      {(part) => <RuleForm {...part} />}
    </EntryEditor>
  );
}

function RuleForm({ fields, errors, isEdit, onChange }: EntryFormPart<RuleFields>) {
  return (
    <SpaceBetween size="m">
      {!isEdit && (
        <FormField
          label="ID"
          description="Jobs refer to the rule by this ID. It can't be changed later."
          constraintText={`Letters, digits, dots, underscores and hyphens; at most ${LIMITS.catalog.nameLength}.`}
          errorText={errors.id}
        >
          <Input
            autoFocus
            value={fields.id}
            placeholder="house-style"
            spellcheck={false}
            onChange={({ detail }) => onChange({ id: detail.value })}
          />
        </FormField>
      )}
      <FormField label="Name" description="Display name. Defaults to the ID." errorText={errors.name}>
        <Input autoFocus={isEdit} value={fields.name} onChange={({ detail }) => onChange({ name: detail.value })} />
      </FormField>
      <FormField
        label="Text"
        description="Added before the prompt of jobs that use the rule."
        constraintText={`${fields.text.length.toLocaleString('en')} of ${LIMITS.catalog.ruleTextLength.toLocaleString('en')} characters.`}
        stretch
        errorText={errors.text}
      >
        <Textarea rows={12} value={fields.text} onChange={({ detail }) => onChange({ text: detail.value })} />
      </FormField>
    </SpaceBetween>
  );
}
