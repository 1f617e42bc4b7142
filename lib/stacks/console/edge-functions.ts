import { FILE_NAME } from '../../platform/config/console-headers.ts';
import { VIEWER_ADDRESS_HEADER } from '../../platform/config/edge-headers.ts';

/**
 * Programs that CloudFront runs on a viewer's request, in the little JavaScript that it knows. Made of the same constants
 * as what the local run and the API do.
 */

/** Shows the console's one document at every address that is no file's: whoever follows a deep link gets the page. */
export const CONSOLE_PATHS = `
var fileName = new RegExp(${JSON.stringify(FILE_NAME.source)});
function handler(event) {
  var request = event.request;
  if (!fileName.test(request.uri)) request.uri = '/index.html';
  return request;
}
`.trim();

/** Tells the API who asks, whatever the viewer says of itself. */
export const VIEWER_ADDRESS = `
function handler(event) {
  var request = event.request;
  request.headers[${JSON.stringify(VIEWER_ADDRESS_HEADER)}] = { value: event.viewer.ip };
  return request;
}
`.trim();
