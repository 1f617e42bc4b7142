import Box from '@cloudscape-design/components/box';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { matchPath, useLocation } from 'react-router';
import { apiOrigin, curlLine } from '../jobs/form/curl-line.ts';
import { shellWord } from '../jobs/form/shell-word.ts';
import { jobQuery } from '../jobs/queries/job-query.ts';
import { commandLine, jobCommands } from '../jobs/terminal/job-commands.ts';
import type { PageCommand } from './page-command.ts';
import { PAGE_COMMANDS } from './page-commands.ts';
import './page-terminal.css';

/** What does the same from a terminal as the page that is open. */
export function PageTerminal({ onDismiss }: { onDismiss: () => void }) {
  const commands = usePageCommands();
  return (
    <Modal visible size="large" header="From a terminal" closeAriaLabel="Close" onDismiss={onDismiss}>
      <SpaceBetween size="l">
        <Box color="text-body-secondary">
          promptq uses the token that promptq login has saved, and curl reads PROMPTQ_TOKEN. Replace names in capitals.
        </Box>
        {commands.length === 0 && <p>This page does nothing that needs a command.</p>}
        {commands.map((command) => (
          <section key={command.label} aria-label={`Command: ${command.label}`}>
            <Box variant="h3" fontSize="heading-xs" padding={{ bottom: 'xxs' }}>
              {command.label}
            </Box>
            <Lines command={command} />
          </section>
        ))}
      </SpaceBetween>
    </Modal>
  );
}

function Lines({ command }: { command: PageCommand }) {
  if ('none' in command) return <p className="page-terminal-none">{command.none}</p>;
  const origin = apiOrigin(window.location);
  const line = commandLine(command.args);
  return (
    <SpaceBetween size="xs">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="page-terminal-line" tabIndex={0}>
        {line}
      </pre>
      <SpaceBetween size="xs" direction="horizontal">
        <Copy of="promptq" label={command.label} text={`PROMPTQ_URL=${shellWord(origin)} ${line}`} />
        {command.request && <Copy of="curl" label={command.label} text={curlLine(origin, command.request)} />}
      </SpaceBetween>
    </SpaceBetween>
  );
}

function Copy({ of, label, text }: Readonly<Record<'of' | 'label' | 'text', string>>) {
  return (
    <CopyToClipboard
      copyButtonText={`Copy as ${of}`}
      copyButtonAriaLabel={`Copy as ${of}: ${label}`}
      textToCopy={text}
      copySuccessText="Copied"
      copyErrorText="Copy failed"
    />
  );
}

function usePageCommands(): readonly PageCommand[] {
  const { pathname, search } = useLocation();
  const found = Object.entries(PAGE_COMMANDS).flatMap(([path, commandsOf]) => {
    const match = matchPath(path, pathname);
    return match === null ? [] : [commandsOf(new URLSearchParams(search), match.params)];
  })[0];
  const id = found === undefined ? matchPath('/jobs/:id', pathname)?.params.id : undefined;
  const job = useQuery({ ...jobQuery(id ?? ''), enabled: id !== undefined });
  return found ?? (job.data === undefined ? [] : [...jobCommands(job.data)]);
}
