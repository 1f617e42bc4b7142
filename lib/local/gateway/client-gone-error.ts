/** The client disconnected before its response: no fault, not logged. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';

  constructor(options?: ErrorOptions) {
    super('the client has gone', options);
  }
}
