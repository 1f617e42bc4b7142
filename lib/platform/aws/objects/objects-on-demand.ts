import type { ListObjectsV2CommandInput, ListObjectsV2CommandOutput, S3ClientConfig } from '@aws-sdk/client-s3';

/**
 * The S3 client of functions that few of their requests need: it has the names of `@aws-sdk/client-s3` and loads it at
 * the first request. The bundler puts it in the client's place.
 */
type Requests = typeof import('./object-requests.ts');
type CommandName = Extract<keyof Requests, `${string}Command`>;

async function load(): Promise<Requests> {
  return await import('./object-requests.ts');
}

/** A request, until its command is made. */
abstract class Deferred {
  abstract readonly command: CommandName;
  readonly input: object;

  constructor(input: object) {
    this.input = input;
  }
}

export class GetObjectCommand extends Deferred {
  readonly command = 'GetObjectCommand';
}
export class HeadObjectCommand extends Deferred {
  readonly command = 'HeadObjectCommand';
}
export class PutObjectCommand extends Deferred {
  readonly command = 'PutObjectCommand';
}
export class DeleteObjectsCommand extends Deferred {
  readonly command = 'DeleteObjectsCommand';
}
export class ListObjectsV2Command extends Deferred {
  readonly command = 'ListObjectsV2Command';
}
export class ListObjectVersionsCommand extends Deferred {
  readonly command = 'ListObjectVersionsCommand';
}
export class HeadBucketCommand extends Deferred {
  readonly command = 'HeadBucketCommand';
}

export class S3Client {
  readonly #config: S3ClientConfig;
  readonly #added: unknown[][] = [];
  readonly #removed: string[] = [];
  #opened: Promise<InstanceType<Requests['S3Client']>> | undefined;

  constructor(config: S3ClientConfig) {
    this.#config = config;
  }

  /** What middleware the client gets, and what not, once it is made. */
  readonly middlewareStack = {
    add: (...middleware: unknown[]) => void this.#added.push(middleware),
    remove: (name: string) => this.#removed.push(name) > 0,
  };

  async send(command: Deferred, options?: object): Promise<unknown> {
    const requests = await load();
    const client = await this.opened();
    const Command = requests[command.command] as new (input: object) => object;
    return await client.send(new Command(command.input) as never, options as never);
  }

  opened(): Promise<InstanceType<Requests['S3Client']>> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  async #open(): Promise<InstanceType<Requests['S3Client']>> {
    const requests = await load();
    const client = new requests.S3Client(this.#config);
    for (const name of this.#removed) client.middlewareStack.remove(name);
    for (const middleware of this.#added) client.middlewareStack.add(...(middleware as [never, never]));
    return client;
  }
}

/** As `paginateListObjectsV2` of the client. */
export async function* paginateListObjectsV2(
  { client, ...config }: { readonly client: S3Client },
  input: ListObjectsV2CommandInput,
): AsyncGenerator<ListObjectsV2CommandOutput> {
  const requests = await load();
  yield* requests.paginateListObjectsV2({ ...config, client: await client.opened() }, input);
}

/** Errors by their names: the client's classes are not loaded. */
function named(name: string) {
  return { [Symbol.hasInstance]: (error: unknown) => error instanceof Error && error.name === name };
}
export const NoSuchKey = named('NoSuchKey');
export const NotFound = named('NotFound');
