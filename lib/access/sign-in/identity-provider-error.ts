/** The identity provider could not be had, or not be believed. The message tells no secret. */
export class IdentityProviderError extends Error {
  override readonly name = 'IdentityProviderError';
}
