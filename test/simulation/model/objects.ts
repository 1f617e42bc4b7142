import { Readable } from 'node:stream';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
} from '@aws-sdk/client-s3';

/** What is done to an object beyond reading it; `undefined`: it is deleted. */
export type OnObject = (key: string, before: Buffer | undefined, after: Buffer | undefined) => void;

/** An earlier version of an object, or a mark that it was deleted. */
interface Earlier {
  readonly Key: string;
  readonly VersionId: string;
  /** undefined: a mark. */
  readonly body: Buffer | undefined;
}

/** How many versions a page lists. */
const PAGE = 20;

/** A bucket of S3 with versions: whole objects, each read sees the last write, and what is replaced or deleted stays. */
export class ModelObjects {
  readonly #objects = new Map<string, Buffer>();
  readonly #earlier = new Map<string, Earlier>();
  #versions = 0;
  readonly #onChange: OnObject;

  constructor(onChange: OnObject = () => undefined) {
    this.#onChange = onChange;
  }

  get(key: string): Buffer | undefined {
    return this.#objects.get(key);
  }

  /** The keys that begin with a prefix, and what is kept of earlier versions: a mark holds nothing. */
  keys(prefix: string): {
    readonly current: readonly string[];
    readonly earlier: readonly { readonly key: string; readonly body: Buffer }[];
  } {
    const below = (key: string) => key.startsWith(prefix);
    const earlier = [...this.#earlier.values()].flatMap(({ Key: key, body }) =>
      body === undefined || !below(key) ? [] : [{ key, body }],
    );
    return { current: [...this.#objects.keys()].filter(below), earlier };
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
    if (command instanceof ListObjectVersionsCommand) return this.#listVersions(command.input);
    if (command instanceof DeleteObjectsCommand) {
      for (const { Key = '', VersionId } of command.input.Delete?.Objects ?? [])
        if (VersionId === undefined) this.#change(Key, undefined);
        else this.#earlier.delete(VersionId);
      return {};
    }
    throw new Error(`the model does not know ${String((command as object).constructor.name)}`);
  }

  #change(key: string, after: Buffer | undefined): void {
    const before = this.#objects.get(key);
    if (before !== undefined) this.#keepEarlier(key, before);
    if (after === undefined) this.#keepEarlier(key, undefined);
    if (after === undefined) this.#objects.delete(key);
    else this.#objects.set(key, after);
    this.#onChange(key, before, after);
  }

  #keepEarlier(Key: string, body: Buffer | undefined): void {
    this.#versions += 1;
    const VersionId = String(this.#versions);
    this.#earlier.set(VersionId, { Key, VersionId, body });
  }

  #listVersions({ Prefix = '', KeyMarker, VersionIdMarker = '' }: ListObjectVersionsCommand['input']): unknown {
    const current = [...this.#objects.keys()].map((Key) => ({ Key, VersionId: 'current', IsLatest: true }));
    const all = [...current, ...this.#earlier.values()].filter(({ Key }) => Key.startsWith(Prefix));
    const order = ({ Key, VersionId }: Pick<Earlier, 'Key' | 'VersionId'>) => `${Key}\0${VersionId}`;
    const after = KeyMarker === undefined ? '' : order({ Key: KeyMarker, VersionId: VersionIdMarker });
    const rest = all.filter((one) => order(one) > after).sort((a, b) => (order(a) < order(b) ? -1 : 1));
    const page = rest.slice(0, PAGE);
    const { Key: NextKeyMarker, VersionId: NextVersionIdMarker } = page.at(-1) ?? {};
    const more = page.length < rest.length && { IsTruncated: true, NextKeyMarker, NextVersionIdMarker };
    return { Versions: page, ...more };
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
