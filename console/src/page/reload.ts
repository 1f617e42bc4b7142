/** Milliseconds between two tries to reach the service. */
const RETRY_INTERVAL_MS = 2_000;

/** A page that is missing from a service that answers would reload for ever: it does so once in this time (ms). */
const RELOAD_INTERVAL_MS = 60_000;

const KEY = 'promptq-reloaded-at';

/** Whether this address has not just been reloaded for a missing part. */
export function mayReload(): boolean {
  const [at, path] = (sessionStorage.getItem(KEY) ?? '').split(' ');
  return path !== location.pathname || Date.now() - Number(at) > RELOAD_INTERVAL_MS;
}

/** Reloads the page, at its address, as soon as the service answers; gives up when `signal` aborts. */
export async function reloadOnceAnswered(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetch(location.pathname, { cache: 'no-store', signal }).catch(() => undefined);
    if (answer?.ok) {
      sessionStorage.setItem(KEY, `${Date.now()} ${location.pathname}`);
      location.reload();
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_INTERVAL_MS));
  }
}
