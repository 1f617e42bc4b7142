import { Link } from 'react-router';

/** The address of the page of an automation. */
export function automationPath(id: string): string {
  return `/automations/${encodeURIComponent(id)}`;
}

/** The address of the form of a new one. No automation has this id. */
export const NEW_AUTOMATION = '/automations/-/new';

interface AutomationLinkProps {
  readonly id: string;
  /** Its name; undefined: not known, as of one that was deleted. */
  readonly name: string | undefined;
}

/** The automation that created a job. */
export function AutomationLink({ id, name }: AutomationLinkProps) {
  return (
    <Link className="job-link" to={automationPath(id)}>
      {name ?? id}
    </Link>
  );
}
