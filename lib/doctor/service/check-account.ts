import { type Finding, ok, warning } from '../finding.ts';
import { dataOf, RefusedError, type Schemas, type Service } from './service.ts';

/** Checks whether a vendor account is linked, and whether anything needs one. */
export async function checkAccount(service: Service, { service: facts }: Schemas['Environment']): Promise<Finding[]> {
  let account: Schemas['Account'];
  try {
    account = await dataOf('GET /codex-account', service.api.GET('/api/v1/codex-account'));
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return [ok('account', 'this deployment has none')];
    // A token without the scope admin: reported by the check of the token.
    if (error instanceof RefusedError && error.status === 403) return [];
    throw error;
  }
  if (account.logged_in) return [ok('account', `linked${account.account === undefined ? '' : `: ${account.account}`}`)];
  const more = [
    ...(account.state === 'not_linked' ? [] : [account.state]),
    ...(account.error === undefined ? [] : [account.error]),
  ];
  const message = `not linked${more.length === 0 ? '' : ` (${more.join(': ')})`}`;
  if (facts.default_profile !== 'codex') return [ok('account', `${message}; only jobs of the profile codex need it`)];
  return [
    warning(
      'account',
      `${message}, and jobs go to the profile codex unless they name another`,
      'Link it: `POST /codex-account/start`, or the page Account of the console (runbook, "Jobs wait with account_required").',
    ),
  ];
}

/** Checks that the default profile of jobs exists. */
export function checkProfiles({ service, profiles }: Schemas['Environment']): Finding {
  const names = profiles.map(({ name }) => name);
  if (names.includes(service.default_profile))
    return ok('profiles', `${names.join(', ')}; default ${service.default_profile}`);
  return warning(
    'profiles',
    `the default profile ${service.default_profile} is not among the first ${names.length}: ${names.join(', ')}`,
    'Jobs that name no profile are refused if there is none: import it, or set another default.',
  );
}
