import { handleUnmapped } from '../../lib/api/serve.ts';

/** Every path and method that no route maps. */
export const handler = handleUnmapped();
