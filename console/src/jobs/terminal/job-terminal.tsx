import Container from '@cloudscape-design/components/container';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import { apiOrigin } from '../form/curl-line.ts';
import { shellWord } from '../form/shell-word.ts';
import type { Job } from '../queries/job-query.ts';
import { commandLine, jobCommands } from './job-commands.ts';

/** What can be done with the job, as commands. Copied, they name the service. */
export function JobTerminal({ job }: { job: Job }) {
  const service = `PROMPTQ_URL=${shellWord(apiOrigin(window.location))}`;
  const items = [...jobCommands(job)].map(({ label, args }) => ({
    label,
    value: <Command label={label} line={commandLine(args)} service={service} />,
  }));
  return (
    <Container
      header={
        <Header variant="h2" description="Replace names in capitals.">
          From a terminal
        </Header>
      }
    >
      <KeyValuePairs columns={2} items={items} />
    </Container>
  );
}

function Command({ label, line, service }: Readonly<Record<'label' | 'line' | 'service', string>>) {
  return (
    <CopyToClipboard
      variant="inline"
      textToCopy={`${service} ${line}`}
      textToDisplay={line}
      copyButtonAriaLabel={`Copy as promptq: ${label}`}
      copySuccessText="Copied"
      copyErrorText="Copy failed"
    />
  );
}
