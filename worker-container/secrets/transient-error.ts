/** Something that an attempt needs could not be read. Another attempt may succeed. */
export class SettingsUnreadError extends Error {
  override readonly name = 'SettingsUnreadError';
}

/** Wraps transient errors of a read. @throws SettingsUnreadError if a service was busy or unreachable */
export async function rethrowTransient<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isTransient(error)) throw new SettingsUnreadError('what the attempt needs could not be read', { cause: error });
    throw error;
  }
}

/** Error codes of busy AWS services and of networks. */
const TRANSIENT = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TooManyRequestsException',
  'RequestThrottled',
  'SlowDown',
  'TimeoutError',
  'RequestTimeout',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  return (
    TRANSIENT.has(error.name) ||
    (typeof code === 'string' && TRANSIENT.has(code)) ||
    ($metadata?.httpStatusCode ?? 0) >= 500
  );
}
