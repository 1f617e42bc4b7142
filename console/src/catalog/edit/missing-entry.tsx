import Alert from '@cloudscape-design/components/alert';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { Link } from 'react-router';

/** Shown if no rule or profile has the name in the address. */
export function MissingEntry({ what, name, list }: { what: string; name: string; list: string }) {
  return (
    <SpaceBetween size="m">
      <Header variant="h1">{`There is no ${what} ${name}`}</Header>
      <Alert type="warning">
        The link may be mistyped, or the {what} was deleted. <Link to={`/${list}`}>See all {list}</Link>.
      </Alert>
    </SpaceBetween>
  );
}
