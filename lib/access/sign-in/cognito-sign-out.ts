/** Issuers of Cognito's user pools. */
const COGNITO = /^https:\/\/cognito-idp\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\//;

/** Whether people sign in at a user pool of Cognito. */
export function isCognito(issuer: string): boolean {
  return COGNITO.test(issuer);
}

/**
 * Where a browser is sent so that Cognito forgets who signed in. It is not what OpenID Connect has for that: Cognito asks
 * for `client_id` and `logout_uri`, and nothing of the ID token.
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html
 * @param authorizationEndpoint as the pool publishes it; both lie at its domain
 * @param returnTo one of the sign-out addresses of the pool's client
 */
export function cognitoSignOutUrl(authorizationEndpoint: string, clientId: string, returnTo: string): string {
  const url = new URL('/logout', authorizationEndpoint);
  url.search = new URLSearchParams({ client_id: clientId, logout_uri: returnTo }).toString();
  return url.href;
}
