/** Sentences for the API's fixed error codes. Other errors are sentences already. */
export const ERROR_WORDS: Readonly<Record<string, string>> = {
  unauthorized: 'Your session has ended. Sign in again.',
  forbidden: 'Your role does not allow this.',
  not_found: 'This item does not exist or was deleted.',
  job_not_found: 'This job does not exist or was deleted.',
  output_deleted: 'An administrator had this output deleted.',
  'invalid action': 'Jobs do not support this action.',
  'Invalid request size': 'The request is too large.',
  too_many_requests: 'The service received too many requests. Wait a moment, then try again.',
  internal_error: 'The service failed. Find the cause in its log by the request ID.',
  unavailable: 'The service is overloaded or starting.',
  timed_out: 'The service took too long to respond.',
};
