const MAX_PATH_LENGTH = 2_000;

/**
 * A path of this service to return to, normalised as a browser does; undefined for a path that leads to another origin
 * or back into the sign-in.
 */
export function returnPath(given: string, publicOrigin: string): string | undefined {
  // Browsers read a backslash as a slash and drop tabs and line ends: `/\t/elsewhere` leads to another host.
  if (given.length > MAX_PATH_LENGTH || !given.startsWith('/') || /[\\\p{Cc}]/u.test(given)) return undefined;
  if (!URL.canParse(given, publicOrigin)) return undefined;
  const { origin, pathname, search, hash } = new URL(given, publicOrigin);
  if (origin !== publicOrigin || pathname.startsWith('//') || /^\/(auth|api)(\/|$)/.test(pathname)) return undefined;
  return `${pathname}${search}${hash}`;
}
