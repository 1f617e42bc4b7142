/**
 * The text at a location from the environment; undefined if there is nothing.
 * @param place `ssm:/name` of a parameter in SSM's Parameter Store, or `file:/path`
 */
export async function readPlace(place: string): Promise<string | undefined> {
  const name = place.slice(place.indexOf(':') + 1);
  if (place.startsWith('file:')) return await readIfThere(name);
  // Loaded only by the few processes that need it: it would slow down every other start.
  const { readParameter } = await import('./parameters.ts');
  return await readParameter(name);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    // Only the local run has files here, and loading this module takes 2 ms.
    const { readFile } = await import('node:fs/promises');
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
