/** Whether the session ended while its user was at work: then the page stays, and asks for another sign-in. */
let over = false;
const listeners = new Set<() => void>();

export function isSessionOver(): boolean {
  return over;
}

export function setSessionOver(value: boolean): void {
  over = value;
  for (const listener of listeners) listener();
}

export function onSessionOver(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
