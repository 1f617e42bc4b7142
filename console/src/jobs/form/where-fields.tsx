import Autosuggest from '@cloudscape-design/components/autosuggest';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { useQuery } from '@tanstack/react-query';
import { projectsQuery } from '../../form/catalog-choices.ts';
import type { FormPart } from './job-fields.ts';

/** The project and the folder of a job. */
export function WhereFields({ fields, errors, onChange, withProject }: FormPart & { withProject: boolean }) {
  const projects = useQuery(projectsQuery);
  return (
    <ColumnLayout columns={withProject ? 2 : 1}>
      {withProject && (
        <FormField
          label="Project"
          description="A new name creates a new project."
          errorText={errors.project}
          warningText={projects.error?.message}
        >
          <Autosuggest
            value={fields.project}
            clearAriaLabel="Clear"
            placeholder="local_project"
            enteredTextLabel={(text) => `Use "${text}"`}
            empty="No projects yet"
            options={(projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            onChange={({ detail }) => onChange({ project: detail.value })}
          />
        </FormField>
      )}
      <FormField
        label="Folder"
        description="Relative to the project's workspace, or under an allowed root. Created if it is missing."
        errorText={errors.cwd}
      >
        <Input
          value={fields.cwd}
          placeholder="A new folder"
          onChange={({ detail }) => onChange({ cwd: detail.value })}
        />
      </FormField>
    </ColumnLayout>
  );
}
