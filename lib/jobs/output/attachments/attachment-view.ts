import type * as z from 'zod';
import type { attachment } from '../../../contract/schemas/jobs/attachments.ts';
import type { Attachment } from './attachment-store.ts';

/** The attachments of an attempt as clients see them. */
export function viewAttachments(attempt: number, attachments: readonly Attachment[]): z.input<typeof attachment>[] {
  return attachments.map(({ path, bytes, sha256 }) => ({
    name: attachmentName(path),
    path,
    bytes,
    sha256,
    content_type: contentTypeOf(path),
    attempt,
  }));
}

/** A path as one segment of a URL: without slashes, and readable if it has none. */
function attachmentName(path: string): string {
  return path.replaceAll('%', '%25').replaceAll('/', '%2F');
}

/**
 * The position of the attachment that a client names: by its listed name, or by its path, since a proxy between client
 * and service may decode URLs.
 */
export function attachmentIndex(attachments: readonly Attachment[], name: string): number {
  const named = attachments.findIndex(({ path }) => attachmentName(path) === name);
  return named >= 0 ? named : attachments.findIndex(({ path }) => path === name);
}

/** `Content-Disposition` of a download (RFC 6266): an ASCII name for old clients, the real one by RFC 5987. */
export function downloadAs(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** The content type by file name; a hint for clients, never the type that a download is sent with. */
export function contentTypeOf(path: string): string {
  const extension = /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return CONTENT_TYPES[extension] ?? 'application/octet-stream';
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  diff: 'text/x-diff',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  log: 'text/plain',
  md: 'text/markdown',
  mp4: 'video/mp4',
  patch: 'text/x-diff',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};
