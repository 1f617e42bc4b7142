import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import { Link } from 'react-router';
import { lastList } from '../queries/last-list.ts';

/** The link back to the filtered list, and buttons that copy the job's ID and link. */
export function JobCrumbs({ id }: { id: string }) {
  return (
    <nav className="job-crumbs" aria-label="Breadcrumbs">
      <Link className="job-link small-target" to={lastList()}>
        Jobs
      </Link>
      <span aria-hidden="true">/</span>
      <CopyToClipboard variant="inline" textToCopy={id} textToDisplay={id} {...WORDS} copyButtonAriaLabel="Copy ID" />
      <CopyToClipboard copyButtonText="Copy link" textToCopy={`${window.location.origin}/jobs/${id}`} {...WORDS} />
    </nav>
  );
}

const WORDS = { copySuccessText: 'Copied', copyErrorText: 'Copy failed' } as const;
