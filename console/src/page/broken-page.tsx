import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { useEffect } from 'react';
import { PartNotLoadedError } from './lazy-part.ts';
import { mayReload, reloadOnceAnswered } from './reload.ts';

interface BrokenPageProps {
  readonly error: Error;
  /** Whether the whole page failed, so that a reload loses no input. */
  readonly isPage: boolean;
  readonly reset: () => void;
}

/** Shown instead of a page or part that failed. A page whose code is missing opens when the service responds again. */
export function BrokenPage({ error, isPage, reset }: BrokenPageProps) {
  const isNotLoaded = error instanceof PartNotLoadedError;
  const reloads = isNotLoaded && isPage;
  useEffect(() => {
    if (!reloads || !mayReload()) return undefined;
    const stopped = new AbortController();
    void reloadOnceAnswered(stopped.signal);
    return () => stopped.abort();
  }, [reloads]);
  const part = isPage ? 'page' : 'part of the page';
  if (isNotLoaded) {
    return (
      <Alert
        type="warning"
        header={`This ${part} could not be loaded`}
        action={<Button onClick={() => location.reload()}>Reload</Button>}
      >
        {isPage
          ? 'The service is not responding or was upgraded. The page opens as soon as the service responds.'
          : 'The service is not responding or was upgraded. Reload the page to try again.'}
      </Alert>
    );
  }
  return (
    <Alert type="error" header={`This ${part} failed`} action={<Button onClick={reset}>Try again</Button>}>
      The rest of the console works. If it fails again, reload the page and report this error:
      <Box variant="code" display="block">
        {error.message}
      </Box>
    </Alert>
  );
}
