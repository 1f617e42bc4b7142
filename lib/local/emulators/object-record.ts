import * as z from 'zod';

/** One file of an object's bytes. A put makes one, a multipart upload one a part. Never written again once it is there. */
const segmentSchema = z.object({ file: z.string(), length: z.number() });
export type Segment = z.output<typeof segmentSchema>;

/** What stands on disk about an object: all that the emulator knows of it, and where its bytes are. */
export const objectRecord = z.object({
  key: z.string(),
  contentType: z.string(),
  contentLength: z.number(),
  etag: z.string(),
  lastModified: z.coerce.date(),
  metadata: z.record(z.string(), z.string()),
  contentLanguage: z.string().optional(),
  contentDisposition: z.string().optional(),
  cacheControl: z.string().optional(),
  contentEncoding: z.string().optional(),
  checksumAlgorithm: z.enum(['CRC32', 'SHA1', 'SHA256']).optional(),
  checksumValue: z.string().optional(),
  checksumType: z.enum(['FULL_OBJECT', 'COMPOSITE']).optional(),
  segments: z.array(segmentSchema),
});
