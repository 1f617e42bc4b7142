import { FILE_NAME } from '../../platform/config/console-headers.ts';
import { VIEWER_ADDRESS_HEADER } from '../../platform/config/edge-headers.ts';

/**
 * Functions that CloudFront runs on a client's request, in its subset of JavaScript. They share their constants with
 * the local run and the API.
 */

/** Serves the console's one document at every path that is no file's, so that deep links work. */
export const CONSOLE_PATHS = `
var fileName = new RegExp(${JSON.stringify(FILE_NAME.source)});
function handler(event) {
  var request = event.request;
  if (!fileName.test(request.uri)) request.uri = '/index.html';
  return request;
}
`.trim();

/** Sets the client's address for the API, overwriting the client's own header. */
export const VIEWER_ADDRESS = `
function handler(event) {
  var request = event.request;
  request.headers[${JSON.stringify(VIEWER_ADDRESS_HEADER)}] = { value: event.viewer.ip };
  return request;
}
`.trim();
