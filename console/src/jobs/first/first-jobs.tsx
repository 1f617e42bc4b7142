import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { sessionQuery } from '../../api/session.ts';
import { LinkButton } from '../../page/link-button.tsx';
import { EXAMPLES } from '../form/examples.ts';
import { AccountHint } from './account-hint.tsx';
import { TerminalHint } from './terminal-hint.tsx';
import './first-jobs.css';

/** Helps to create the first job: examples, a command to paste, an account to link. */
export function FirstJobs() {
  const session = useQuery(sessionQuery);
  const role = session.data?.role;
  if (role !== 'operator' && role !== 'admin')
    return (
      <div className="first-jobs">
        <Box variant="h2">No jobs yet</Box>
        <p>Jobs appear here when someone creates one. Your role is read-only.</p>
        <p>To create jobs, ask an administrator of this deployment for the operator role.</p>
        <a href="/api/v1/openapi.json" target="_blank" rel="noopener">
          Read the API description
        </a>
      </div>
    );
  return (
    <div className="first-jobs">
      <SpaceBetween size="l">
        <section>
          <Box variant="h2">No jobs yet</Box>
          <p>Start with an example. It fills in the form. Nothing runs until you queue the job.</p>
          <SpaceBetween size="xs" direction="horizontal">
            {EXAMPLES.map(({ id, text }) => (
              <LinkButton key={id} to={`/jobs/new?example=${id}`}>
                {text}
              </LinkButton>
            ))}
          </SpaceBetween>
        </section>
        {role === 'admin' && <AccountHint />}
        {role === 'admin' && (
          <section>
            <Box variant="h2">Hear of it where you are</Box>
            <p>
              <Link to="/subscriptions/-/new">Have a message sent to you</Link> when an agent asks or a job fails.
            </p>
          </section>
        )}
        <TerminalHint isAdmin={role === 'admin'} />
      </SpaceBetween>
    </div>
  );
}
