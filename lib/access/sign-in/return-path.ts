const LONGEST = 2_000;

/**
 * A path of our own to go back to, in the form that a browser makes of it; undefined for whatever could lead elsewhere, or
 * back into the sign-in.
 */
export function returnPath(given: string, publicOrigin: string): string | undefined {
  // Browsers take a backslash for a slash, and leave tabs and line ends out: `/\t/elsewhere` leads away.
  if (given.length > LONGEST || !given.startsWith('/') || /[\\\p{Cc}]/u.test(given)) return undefined;
  if (!URL.canParse(given, publicOrigin)) return undefined;
  const { origin, pathname, search, hash } = new URL(given, publicOrigin);
  if (origin !== publicOrigin || pathname.startsWith('//') || /^\/(auth|api)(\/|$)/.test(pathname)) return undefined;
  return `${pathname}${search}${hash}`;
}
