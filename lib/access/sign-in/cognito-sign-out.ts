/** Issuers of Cognito's user pools. */
const COGNITO = /^https:\/\/cognito-idp\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\//;

/** Whether the issuer is a Cognito user pool. */
export function isCognito(issuer: string): boolean {
  return COGNITO.test(issuer);
}

/**
 * The URL at which Cognito ends its own session. Cognito does not follow OpenID Connect here: it takes `client_id` and
 * `logout_uri`, and no ID token.
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html
 * @param authorizationEndpoint as the pool publishes it; the logout endpoint is at the same domain
 * @param returnTo one of the sign-out URLs of the pool's client
 */
export function cognitoSignOutUrl(authorizationEndpoint: string, clientId: string, returnTo: string): string {
  const url = new URL('/logout', authorizationEndpoint);
  url.search = new URLSearchParams({ client_id: clientId, logout_uri: returnTo }).toString();
  return url.href;
}
