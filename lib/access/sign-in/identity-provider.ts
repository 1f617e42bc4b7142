import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  type IDToken,
  None,
  ResponseBodyError,
} from 'openid-client';
import { IdentityProviderError } from './identity-provider-error.ts';
import { fetchLocalhost } from './localhost-fetch.ts';

/** Proves one sign-in to the identity provider. Derived from the state and the browser's cookie. */
export interface SignInProof {
  readonly state: string;
  readonly nonce: string;
  /** PKCE's code verifier. */
  readonly codeVerifier: string;
}

interface IdentityProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Reads the client secret; undefined: a public client, which PKCE alone authenticates. */
  readonly clientSecret: () => Promise<string | undefined>;
  /** The redirect URI registered with the identity provider. */
  readonly redirectUri: string;
}

/** The identity provider rejected the sign-in; the message is its own. */
export class SignInRefusedError extends Error {
  override readonly name = 'SignInRefusedError';
}

const TIMEOUT_SECONDS = 8;
/** The local identity provider loads on the first request, which is slow on a busy machine. */
const LOOPBACK_TIMEOUT_SECONDS = 25;
const CLOCK_SKEW_SECONDS = 60;

/** Signs people in by OpenID Connect: code flow with PKCE, with any issuer that publishes its configuration. */
export class IdentityProvider {
  readonly #settings: IdentityProviderSettings;
  #configuration: Promise<Configuration> | undefined;

  constructor(settings: IdentityProviderSettings) {
    this.#settings = settings;
  }

  /**
   * The URL to send a browser to. `fresh` prompts even a person who is signed in there.
   * @throws IdentityProviderError
   */
  async authorizationUrl(proof: SignInProof, { fresh }: { fresh: boolean }): Promise<string> {
    const url = buildAuthorizationUrl(await this.#configured(), {
      redirect_uri: this.#settings.redirectUri,
      scope: 'openid email profile',
      state: proof.state,
      nonce: proof.nonce,
      code_challenge: await calculatePKCECodeChallenge(proof.codeVerifier),
      code_challenge_method: 'S256',
      ...(fresh && { prompt: 'login' }),
    });
    return url.href;
  }

  /**
   * Exchanges the returned code for the claims of the ID token, and checks issuer, audience, signature, time and nonce.
   * @param query of the URL that the browser was sent back to
   * @throws SignInRefusedError, IdentityProviderError
   */
  async claims(query: URLSearchParams, proof: SignInProof): Promise<IDToken> {
    const url = new URL(this.#settings.redirectUri);
    url.search = query.toString();
    const configuration = await this.#configured();
    try {
      const tokens = await authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: proof.codeVerifier,
        expectedState: proof.state,
        expectedNonce: proof.nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('the identity provider sent no ID token');
      return claims;
    } catch (error) {
      if (isRefusal(error)) throw new SignInRefusedError(error.error_description ?? error.error);
      // The secret may have been rotated.
      if (error instanceof ResponseBodyError && error.error === 'invalid_client') this.#configuration = undefined;
      throw unbelieved(error);
    }
  }

  /** Whether the identity provider supports sign-out. */
  get canForget(): boolean {
    return isCognito(this.#settings.issuer);
  }

  /**
   * The identity provider's sign-out URL; undefined if it has none.
   * @param returnTo where it then sends the browser
   * @throws IdentityProviderError
   */
  async signOutUrl(returnTo: string): Promise<string | undefined> {
    if (!this.canForget) return undefined;
    const { authorization_endpoint: endpoint } = (await this.#configured()).serverMetadata();
    return endpoint && cognitoSignOutUrl(endpoint, this.#settings.clientId, returnTo);
  }

  /** The issuer's published configuration: read once, and again after a failure. */
  async #configured(): Promise<Configuration> {
    this.#configuration ??= this.#discover();
    try {
      return await this.#configuration;
    } catch (error) {
      this.#configuration = undefined;
      throw unbelieved(error);
    }
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId } = this.#settings;
    const secret = await this.#settings.clientSecret();
    const isLoopback = issuer.startsWith('http:');
    return await discovery(
      new URL(issuer),
      clientId,
      { [clockTolerance]: CLOCK_SKEW_SECONDS },
      secret === undefined ? None() : ClientSecretBasic(secret),
      {
        timeout: isLoopback ? LOOPBACK_TIMEOUT_SECONDS : TIMEOUT_SECONDS,
        ...(isLoopback && { execute: [allowInsecureRequests], [customFetch]: fetchLocalhost }),
      },
    );
  }
}

/** Covers the code too, if it has expired or was already used. */
function isRefusal(error: unknown): error is AuthorizationResponseError | ResponseBodyError {
  if (error instanceof AuthorizationResponseError) return true;
  return error instanceof ResponseBodyError && error.error === 'invalid_grant';
}

/** Drops the cause, which holds codes and tokens. */
function unbelieved(error: unknown): IdentityProviderError {
  if (!(error instanceof Error)) return new IdentityProviderError(String(error));
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  return new IdentityProviderError(`${error.name}: ${error.message}${code}`);
}

/** Issuers of Cognito's user pools. */
const COGNITO = /^https:\/\/cognito-idp\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\//;

/** Whether the issuer is a Cognito user pool. */
function isCognito(issuer: string): boolean {
  return COGNITO.test(issuer);
}

/**
 * The URL at which Cognito ends its own session. Cognito does not follow OpenID Connect here: it takes `client_id` and
 * `logout_uri`, and no ID token.
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html
 * @param authorizationEndpoint as the pool publishes it; the logout endpoint is at the same domain
 * @param returnTo one of the sign-out URLs of the pool's client
 */
function cognitoSignOutUrl(authorizationEndpoint: string, clientId: string, returnTo: string): string {
  const url = new URL('/logout', authorizationEndpoint);
  url.search = new URLSearchParams({ client_id: clientId, logout_uri: returnTo }).toString();
  return url.href;
}
