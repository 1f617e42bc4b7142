import * as z from 'zod';

/** `GET /jobs/{id}/record`. */
export const recordArchive = z.string().meta({
  description: 'A zip file.',
  override: { type: 'string', format: 'binary' },
});
