/** The identity provider can't be reached, or its answer is invalid. The message holds no secret. */
export class IdentityProviderError extends Error {
  override readonly name = 'IdentityProviderError';
}
