import { serveUnmapped } from '../../lib/http/serve.ts';

/** Every path and method that no route maps. */
export const handler = serveUnmapped();
