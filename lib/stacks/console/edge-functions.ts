import { ERRORS } from '../../contract/errors.ts';
import { SECURITY_HEADERS, TLS_ONLY_HEADERS } from '../../contract/security-headers.ts';
import { CONSOLE_FILE, CONSOLE_PAGE } from '../../platform/config/console-headers.ts';
import { VIEWER_ADDRESS_HEADER } from '../../platform/config/edge-headers.ts';

/** CloudFront takes header names in lower case. */
const NOTHING_HEADERS = { 'content-type': 'application/json; charset=utf-8', ...SECURITY_HEADERS, ...TLS_ONLY_HEADERS };

const NOTHING = {
  statusCode: ERRORS.not_found.status,
  statusDescription: 'Not Found',
  headers: Object.fromEntries(Object.entries(NOTHING_HEADERS).map(([name, value]) => [name, { value }])),
  body: JSON.stringify({ error: ERRORS.not_found.word }),
};

/**
 * Functions that CloudFront runs on a client's request, in its subset of JavaScript. They share their constants with
 * the local run and the API.
 */

/**
 * Serves the console's one document at the paths of its pages, so that deep links work, and answers as the API does where
 * the console has nothing.
 */
export const CONSOLE_PATHS = `
var page = new RegExp(${JSON.stringify(CONSOLE_PAGE.source)});
var file = new RegExp(${JSON.stringify(CONSOLE_FILE.source)});
var nothing = ${JSON.stringify(NOTHING)};
function handler(event) {
  var request = event.request;
  if (page.test(request.uri)) request.uri = '/index.html';
  else if (!file.test(request.uri)) return nothing;
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
