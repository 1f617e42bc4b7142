import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import { Link } from 'react-router';
import { textOfValue } from '../../../lib/contract/templates/parameter-values.ts';
import { useMayAct } from '../api/session.ts';
import { templatePath } from '../form/template-path.ts';
import type { Job } from '../jobs/queries/job-query.ts';
import { LinkButton } from '../page/link-button.tsx';
import './job-template.css';

/** The template that a job was created from, and the values that it got. */
export function JobTemplate({ job, template }: { job: Job; template: NonNullable<Job['template']> }) {
  const { name, version, parameters } = template;
  const mayAct = useMayAct();
  const values = Object.entries(parameters).map(([label, value]) => ({
    label,
    value: <span className="template-value">{textOfValue(value)}</span>,
  }));
  return (
    <Container
      header={
        <Header
          variant="h2"
          description={
            <Link className="job-link" to={templatePath(name, version)}>
              {name}, version {version}
            </Link>
          }
          actions={
            mayAct && (
              <LinkButton to={`${templatePath(name)}/run?${new URLSearchParams({ from: job.id })}`}>
                Run with other values
              </LinkButton>
            )
          }
        >
          Template
        </Header>
      }
    >
      {values.length === 0 ? 'It got no values.' : <KeyValuePairs columns={3} items={values} />}
    </Container>
  );
}
