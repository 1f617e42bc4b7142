/** Sentences for the API's fixed error codes. Other errors are sentences already. */
export const ERROR_WORDS: Readonly<Record<string, string>> = {
  unauthorized: 'Your session is over. Sign in again.',
  forbidden: 'Your role does not allow this.',
  not_found: 'This does not exist, or it was removed.',
  job_not_found: 'This job does not exist, or it was removed.',
  'invalid action': 'Jobs have no such action.',
  'Invalid request size': 'The request is too large.',
  too_many_requests: 'The service received too many requests. Wait a moment, then try again.',
  internal_error: 'The service failed. Its log says why, under the request ID.',
  unavailable: 'The service is overloaded or starting. Try again in a moment.',
  timed_out: 'The service took too long to answer. Try again.',
};
