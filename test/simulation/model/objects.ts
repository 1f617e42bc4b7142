import { Readable } from 'node:stream';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
} from '@aws-sdk/client-s3';

/** What is done to an object beyond reading it; `undefined`: it is deleted. */
export type OnObject = (key: string, before: Buffer | undefined, after: Buffer | undefined) => void;

/** A bucket of S3: whole objects, each read sees the last write. */
export class ModelObjects {
  readonly #objects = new Map<string, Buffer>();
  readonly #onChange: OnObject;

  constructor(onChange: OnObject = () => undefined) {
    this.#onChange = onChange;
  }

  get(key: string): Buffer | undefined {
    return this.#objects.get(key);
  }

  /** Applies one command. @throws what S3 would, and Error for what the model does not know. */
  perform(command: unknown): unknown {
    if (command instanceof PutObjectCommand) {
      const { Key = '', Body } = command.input;
      if (typeof Body !== 'string' && !Buffer.isBuffer(Body))
        throw new Error(`the model does not know this body of ${Key}`);
      this.#change(Key, Buffer.from(Body));
      return {};
    }
    if (command instanceof GetObjectCommand) return this.#read(command.input.Key ?? '', command.input.Range);
    if (command instanceof HeadObjectCommand) {
      const size = this.#objects.get(command.input.Key ?? '')?.length;
      if (size === undefined) throw new NotFound({ $metadata: {}, message: 'NotFound' });
      return { ContentLength: size };
    }
    if (command instanceof ListObjectsV2Command) return this.#list(command.input);
    if (command instanceof DeleteObjectsCommand) {
      for (const { Key = '' } of command.input.Delete?.Objects ?? []) this.#change(Key, undefined);
      return {};
    }
    throw new Error(`the model does not know ${String((command as object).constructor.name)}`);
  }

  #change(key: string, after: Buffer | undefined): void {
    const before = this.#objects.get(key);
    if (after === undefined) this.#objects.delete(key);
    else this.#objects.set(key, after);
    this.#onChange(key, before, after);
  }

  #read(key: string, range: string | undefined): unknown {
    const object = this.#objects.get(key);
    if (object === undefined) throw new NoSuchKey({ $metadata: {}, message: 'The specified key does not exist.' });
    if (range === undefined) return { Body: { transformToString: async () => object.toString('utf8') } };
    const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    if (from === '' || Number(from) >= object.length)
      throw Object.assign(new Error('The requested range is not satisfiable'), { name: 'InvalidRange' });
    return { Body: Readable.from([object.subarray(Number(from), Number(to) + 1)]) };
  }

  #list(input: ListObjectsV2Command['input']): unknown {
    const { Prefix = '', StartAfter = '', ContinuationToken = '', MaxKeys = 1_000 } = input;
    const after = ContinuationToken === '' ? StartAfter : ContinuationToken;
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(Prefix) && key > after).sort();
    const page = keys.slice(0, MaxKeys);
    const Contents = page.map((key) => ({ Key: key, Size: this.#objects.get(key)?.length }));
    return {
      ...(page.length > 0 && { Contents }),
      ...(page.length < keys.length && { NextContinuationToken: page.at(-1) }),
    };
  }
}
