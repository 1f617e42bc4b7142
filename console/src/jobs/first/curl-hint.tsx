import Box from '@cloudscape-design/components/box';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import { Link } from 'react-router';
import { apiOrigin, curlLine } from '../form/curl-line.ts';

/** A command that creates the first job, and where to get its token. */
export function CurlHint({ isAdmin }: { isAdmin: boolean }) {
  const command = curlLine(apiOrigin(window.location), { prompt: 'Say hello' });
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{command}</pre>
      <CopyToClipboard
        copyButtonText="Copy the command"
        textToCopy={command}
        copySuccessText="Copied"
        copyErrorText="Copy failed"
      />
    </section>
  );
}
