import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { templatePath } from '../form/template-path.ts';
import type { Job } from '../jobs/queries/job-query.ts';
import { AutomationLink } from '../page/automation-link.tsx';
import { automationQuery } from './automation-queries.ts';

/** The automation and the template that a job was created by. */
export function JobOrigin({ job: { automation, template } }: { job: Job }) {
  return (
    <SpaceBetween size="s" direction="horizontal">
      {automation !== null && <JobAutomation id={automation} />}
      {template !== null && (
        <span>
          Template{' '}
          <Link className="job-link" to={templatePath(template.name, template.version)}>
            {template.name}
          </Link>
        </span>
      )}
    </SpaceBetween>
  );
}

function JobAutomation({ id }: { id: string }) {
  const { data } = useQuery({ ...automationQuery(id), refetchInterval: false, retry: false });
  return (
    <span>
      Automation <AutomationLink id={id} name={data?.name} />
    </span>
  );
}
