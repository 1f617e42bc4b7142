import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@aws-lambda-powertools/logger';
import { DeleteObjectsCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { objectClient } from '../../lib/platform/aws/clients.ts';
import { answerCustomResource } from '../../lib/platform/aws/custom-resource.ts';
import { consoleCacheControl, consoleMediaType } from '../../lib/platform/config/console-headers.ts';
import { publishConsoleEnv } from '../../lib/platform/config/function-env.ts';
import { readEnv } from '../../lib/platform/config/read-env.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';

/** On deployment: uploads the console, which is packaged with this function, to its bucket. Empties the bucket when the stack is deleted. */
export const handler = handleTrigger('publish-console', publishConsole);

async function publishConsole(event: CloudFormationCustomResourceEvent, log: Logger): Promise<void> {
  await answerCustomResource(event, async (properties) => {
    const env = readEnv(publishConsoleEnv);
    const published = new PublishedConsole(objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE }), env.CONSOLE_BUCKET);
    if (properties === undefined) await published.remove();
    else await published.publish(env.CONSOLE_FOLDER);
    log.info(properties === undefined ? 'deleted the console' : 'published the console');
  });
}

/** Parallel uploads. */
const LANES = 8;

/** The built console in the bucket that CloudFront serves. */
export class PublishedConsole {
  readonly #objects: S3Client;
  readonly #bucket: string;

  constructor(objects: S3Client, bucket: string) {
    this.#objects = objects;
    this.#bucket = bucket;
  }

  /**
   * Uploads a folder's files with their response headers: assets first, then documents, so that no browser gets a
   * document before its assets. Files of earlier versions stay: open pages still request them.
   */
  async publish(folder: string): Promise<void> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
    const [documents, parts] = [files.filter(isDocument), files.filter((file) => !isDocument(file))];
    if (documents.length === 0) throw new Error('there is no console in this bundle');
    for (const step of [parts, documents]) {
      for (let at = 0; at < step.length; at += LANES)
        await Promise.all(step.slice(at, at + LANES).map((file) => this.#send(folder, file)));
    }
  }

  /** Removes every file, including those of earlier versions. */
  async remove(): Promise<void> {
    for (;;) {
      const { Contents = [] } = await this.#objects.send(new ListObjectsV2Command({ Bucket: this.#bucket }));
      if (Contents.length === 0) return;
      const Objects = Contents.map(({ Key }) => ({ Key }));
      const { Errors = [] } = await this.#objects.send(
        new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } }),
      );
      if (Errors.length > 0) throw new Error(`the console's files could not be removed: ${Errors[0]?.Code}`);
    }
  }

  async #send(folder: string, file: string): Promise<void> {
    await this.#objects.send(
      new PutObjectCommand({
        Bucket: this.#bucket,
        Key: file,
        Body: await readFile(join(folder, file)),
        ContentType: consoleMediaType(file),
        CacheControl: consoleCacheControl(`/${file}`),
      }),
    );
  }
}

function isDocument(file: string): boolean {
  return file.endsWith('.html');
}
