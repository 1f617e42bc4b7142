/** Headers that CloudFront adds to requests for the API; a client's headers of these names are overwritten. */

/** Proves that a request came through this deployment's own distribution. */
export const ORIGIN_SECRET_HEADER = 'x-promptq-origin';

/**
 * API Gateway's own header for a key. Without the key API Gateway rejects a call before a function runs. The functions
 * see the key in each event, so it is not the origin secret.
 */
export const GATEWAY_KEY_HEADER = 'x-api-key';

/**
 * The client's address. CloudFront's own header for it does not reach an origin that gets all headers of the client
 * except Host: no origin request policy has both.
 */
export const VIEWER_ADDRESS_HEADER = 'x-promptq-viewer';
