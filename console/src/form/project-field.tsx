import Autosuggest from '@cloudscape-design/components/autosuggest';
import FormField, { type FormFieldProps } from '@cloudscape-design/components/form-field';
import { useQuery } from '@tanstack/react-query';
import { projectsQuery } from './catalog-choices.ts';

interface ProjectFieldProps extends Pick<FormFieldProps, 'label' | 'description' | 'errorText' | 'secondaryControl'> {
  /** What applies if it is empty. */
  readonly placeholder?: string;
  /** As typed: an id or a name. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A project, with the existing ones as suggestions. */
export function ProjectField({ value, onChange, placeholder = 'local_project', ...texts }: ProjectFieldProps) {
  const projects = useQuery(projectsQuery);
  return (
    <FormField label="Project" warningText={projects.error?.message} {...texts}>
      <Autosuggest
        value={value}
        clearAriaLabel="Clear"
        placeholder={placeholder}
        enteredTextLabel={(text) => `Use "${text}"`}
        empty="No projects yet"
        options={(projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        onChange={({ detail }) => onChange(detail.value)}
      />
    </FormField>
  );
}
