import Button from '@cloudscape-design/components/button';
import DatePicker from '@cloudscape-design/components/date-picker';
import Input from '@cloudscape-design/components/input';
import { type FormEvent, useState } from 'react';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { type AuditFilters, NO_AUDIT_FILTERS } from './audit-query.ts';
import './audit-filter-fields.css';

interface AuditFilterFieldsProps {
  readonly filters: AuditFilters;
  readonly onChange: (filters: AuditFilters) => void;
}

/** Filters the audit log by principal, action and day. */
export function AuditFilterFields({ filters, onChange }: AuditFilterFieldsProps) {
  const [typed, setTyped] = useState(filters);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ ...typed, actor: typed.actor.trim(), action: typed.action.trim() });
  };
  const text = (name: 'actor' | 'action', label: string, example: string) => (
    <Input
      value={typed[name]}
      ariaLabel={label}
      placeholder={`${label}, such as ${example}`}
      onChange={({ detail }) => setTyped({ ...typed, [name]: detail.value })}
    />
  );
  const day = (name: 'since' | 'until', label: string) => (
    <DatePicker
      value={typed[name]}
      ariaLabel={label}
      placeholder={label}
      openCalendarAriaLabel={(chosen) => `${label}: choose a day${chosen === null ? '' : `, selected ${chosen}`}`}
      previousMonthAriaLabel="Previous month"
      nextMonthAriaLabel="Next month"
      todayAriaLabel="Today"
      isDateEnabled={isKept}
      onChange={({ detail }) => setTyped({ ...typed, [name]: detail.value })}
    />
  );
  return (
    <search>
      <form className="audit-filters" onSubmit={submit}>
        {text('actor', 'Principal', 'token:ci')}
        {text('action', 'Action', 'jobs.cancel')}
        {day('since', 'First day')}
        {day('until', 'Last day')}
        <Button formAction="submit">Filter</Button>
        {Object.values(filters).some((value) => value !== '') && (
          <Button variant="link" formAction="none" onClick={() => onChange(NO_AUDIT_FILTERS)}>
            Clear filters
          </Button>
        )}
      </form>
    </search>
  );
}

/** Whether the log can have entries of a day. */
function isKept(day: Date): boolean {
  const age = Date.now() - day.getTime();
  return age > 0 && age < (LIMITS.auditDays + 1) * 86_400_000;
}
