import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { ProjectField } from '../../form/project-field.tsx';
import type { FormPart } from './job-fields.ts';

/** The project and the folder of a job. */
export function WhereFields({ fields, errors, onChange, withProject }: FormPart & { withProject: boolean }) {
  return (
    <ColumnLayout columns={withProject ? 2 : 1}>
      {withProject && (
        <ProjectField
          description="A new name creates a new project."
          errorText={errors.project}
          value={fields.project}
          onChange={(project) => onChange({ project })}
        />
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
