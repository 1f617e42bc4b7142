import Alert from '@cloudscape-design/components/alert';
import { useQuery } from '@tanstack/react-query';
import { accountQuery } from '../../account/account-query.ts';
import { profilesQuery } from '../../form/catalog-choices.ts';
import { LinkButton } from '../../page/link-button.tsx';

/** Asks the user to link the vendor account if jobs with the default profile need one. */
export function AccountHint() {
  const profile = useQuery(profilesQuery).data?.find(({ is_default }) => is_default);
  const isNeeded = profile?.agent === 'codex' && profile.vendor === 'own';
  const account = useQuery({ ...accountQuery, enabled: isNeeded });
  if (!isNeeded || account.data?.logged_in !== false) return null;
  return (
    <Alert
      type="info"
      header="No vendor account is linked"
      action={<LinkButton to="/account">Link your account</LinkButton>}
    >
      Jobs with the profile {profile.name} wait until an account is linked, unless the workers have an API key.
    </Alert>
  );
}
