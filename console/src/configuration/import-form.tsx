import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FileUpload from '@cloudscape-design/components/file-upload';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useState } from 'react';
import { useImport } from './config-queries.ts';
import { changedNames, ImportChanges, ImportErrors } from './import-outcome.tsx';

/** Reads a document, shows what it would change, then applies it. */
export function ImportForm() {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<File[]>([]);
  const run = useImport();
  // The result of a check is valid only for the checked text.
  const edit = (changed: string) => {
    setText(changed);
    run.reset();
  };
  const load = async (chosen: File[]) => {
    setFiles(chosen);
    if (chosen[0]) edit(await chosen[0].text());
  };
  const checked = run.data?.dry_run === true;
  const changes = run.data ? changedNames(run.data) : [];
  return (
    <Container header={<Header variant="h2">Import</Header>}>
      <SpaceBetween size="m">
        <FormField label="File" description="YAML or JSON, such as promptq.config.yaml.">
          <FileUpload
            accept=".yaml,.yml,.json"
            value={files}
            onChange={({ detail }) => void load(detail.value)}
            i18nStrings={{
              uploadButtonText: () => 'Choose a file',
              dropzoneText: () => 'Drop the file here',
              removeFileAriaLabel: () => 'Remove the file',
              errorIconAriaLabel: 'Error',
            }}
          />
        </FormField>
        <FormField label="Document" stretch>
          <Textarea
            rows={14}
            spellcheck={false}
            value={text}
            placeholder={EXAMPLE}
            onChange={({ detail }) => edit(detail.value)}
          />
        </FormField>
        <div aria-live="polite">
          {run.error && <ImportErrors error={run.error} dryRun={run.variables.dryRun} />}
          {run.data && <ImportChanges result={run.data} />}
        </div>
        <SpaceBetween size="xs" direction="horizontal">
          <Button
            variant={checked ? 'normal' : 'primary'}
            disabled={text.trim() === ''}
            loading={run.isPending && run.variables.dryRun}
            onClick={() => run.mutate({ text, dryRun: true })}
          >
            Check
          </Button>
          <Button
            variant={checked ? 'primary' : 'normal'}
            disabled={!checked || changes.length === 0}
            loading={run.isPending && !run.variables.dryRun}
            onClick={() => run.mutate({ text, dryRun: false })}
          >
            Apply
          </Button>
        </SpaceBetween>
        {!checked && (
          <Box variant="small">
            A check shows what would change without changing anything. After that, you can apply the document.
          </Box>
        )}
      </SpaceBetween>
    </Container>
  );
}

const EXAMPLE = `rules:
  - id: house-style
    text: Follow the conventions of the repository.
profiles:
  - name: review
    agent: codex`;
