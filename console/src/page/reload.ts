/** Milliseconds between two attempts to reach the service. */
const RETRY_INTERVAL_MS = 2_000;

/** Minimum time (ms) between two reloads: a page that is missing from a running service would reload forever. */
const RELOAD_INTERVAL_MS = 60_000;

const KEY = 'promptq-reloaded-at';

/** Whether this address was not reloaded recently because of a missing part. */
export function mayReload(): boolean {
  const [at, path] = (sessionStorage.getItem(KEY) ?? '').split(' ');
  return path !== location.pathname || Date.now() - Number(at) > RELOAD_INTERVAL_MS;
}

/** Reloads the page as soon as the service responds. Stops if `signal` aborts. */
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
