import Box from '@cloudscape-design/components/box';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import { Link } from 'react-router';
import { apiOrigin, curlLine } from '../form/curl-line.ts';
import { promptqLine } from '../form/promptq-line.ts';

const FIRST_JOB = { prompt: 'Say hello' };

/** Commands that create the first job, and where to get their token. */
export function TerminalHint({ isAdmin }: { isAdmin: boolean }) {
  return (
    <section>
      <Box variant="h2">From a terminal</Box>
      <p>
        Set the variable <code>PROMPTQ_TOKEN</code> to an API token, then run this command.{' '}
        {isAdmin ? (
          <>
            Create the token on the page <Link to="/api-tokens">API tokens</Link>.
          </>
        ) : (
          'An administrator creates tokens.'
        )}
        {window.location.hostname.endsWith('.localhost') && ' A local run prints its own token when it starts.'}
      </p>
      <Command
        text={curlLine(apiOrigin(window.location), { method: 'POST', path: '/jobs', body: FIRST_JOB })}
        buttonText="Copy as curl"
      />
      <p>With the command line installed, this command also waits for the answer and prints it.</p>
      <Command text={promptqLine(apiOrigin(window.location), FIRST_JOB)} buttonText="Copy as promptq" />
    </section>
  );
}

function Command({ text, buttonText }: { text: string; buttonText: string }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <CopyToClipboard
        copyButtonText={buttonText}
        textToCopy={text}
        copySuccessText="Copied"
        copyErrorText="Copy failed"
      />
    </>
  );
}
