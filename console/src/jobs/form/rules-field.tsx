import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Multiselect from '@cloudscape-design/components/multiselect';
import { useQuery } from '@tanstack/react-query';
import { rulesQuery } from '../../form/catalog-choices.ts';
import type { FormPart } from './job-fields.ts';
import './rules-field.css';

/** Selects rules and their order before the prompt. */
export function RulesField({ fields, errors, onChange }: FormPart) {
  const rules = useQuery(rulesQuery);
  const chosen = fields.rule_ids;
  const nameOf = (id: string) => rules.data?.find((rule) => rule.id === id)?.name ?? id;
  const move = (from: number, by: number) => {
    const next = [...chosen];
    next.splice(from + by, 0, ...next.splice(from, 1));
    onChange({ rule_ids: next });
  };
  return (
    <FormField
      label="Rules"
      description="Added before the prompt, in this order."
      stretch
      errorText={errors.rule_ids ?? rules.error?.message}
    >
      <Multiselect
        hideTokens
        filteringType="auto"
        placeholder={rules.data?.length === 0 ? 'No rules' : 'Add rules'}
        statusType={rules.isPending ? 'loading' : rules.error ? 'error' : 'finished'}
        loadingText="Loading the rules"
        empty="No rules. An admin can create them on the Rules page."
        selectedOptions={chosen.map((id) => ({ value: id, label: nameOf(id) }))}
        options={(rules.data ?? []).map(({ id, name, text }) => ({
          value: id,
          label: name,
          description: text.slice(0, 100),
        }))}
        onChange={({ detail }) => {
          const ids = detail.selectedOptions.flatMap(({ value }) => value ?? []);
          // Keeps the manual order and appends new rules.
          const kept = chosen.filter((id) => ids.includes(id));
          onChange({ rule_ids: [...kept, ...ids.filter((id) => !kept.includes(id))] });
        }}
      />
      {chosen.length > 0 && (
        <ol className="rules-order" aria-label="Rules in order">
          {chosen.map((id, at) => (
            <li key={id}>
              <span className="rules-order-name">{nameOf(id)}</span>
              <Button
                variant="icon"
                iconName="angle-up"
                ariaLabel={`Move ${nameOf(id)} up`}
                disabled={at === 0}
                onClick={() => move(at, -1)}
              />
              <Button
                variant="icon"
                iconName="angle-down"
                ariaLabel={`Move ${nameOf(id)} down`}
                disabled={at === chosen.length - 1}
                onClick={() => move(at, 1)}
              />
              <Button
                variant="icon"
                iconName="close"
                ariaLabel={`Remove ${nameOf(id)}`}
                onClick={() => onChange({ rule_ids: chosen.filter((other) => other !== id) })}
              />
            </li>
          ))}
        </ol>
      )}
    </FormField>
  );
}
