import { queryClient } from './query-client.ts';

/** Resolves when the API next answers a request of this page, as it does after a new sign-in, or at the abort. */
export async function nextSuccess(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      unsubscribe();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const unsubscribe = queryClient.getQueryCache().subscribe((event) => {
      if (event.type === 'updated' && event.action.type === 'success' && event.action.manual !== true) end();
    });
    signal.addEventListener('abort', end);
  });
}
