import { serveUnmapped } from '../../lib/api/serve.ts';

/** Every path and method that no route maps. */
export const handler = serveUnmapped();
