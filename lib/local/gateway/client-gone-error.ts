/** The client closed its connection before it had its answer: nobody's fault, and nothing to log. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';

  constructor(options?: ErrorOptions) {
    super('the client has gone', options);
  }
}
