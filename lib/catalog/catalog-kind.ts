import type { FieldProblem } from '../contract/errors.ts';
import type { CatalogList, ConfigDocument } from '../contract/schemas/config.ts';
import type { Sandbox } from './sandboxes.ts';

/** An entry of a list of a configuration document. */
export type EntryOf<L extends CatalogList> = NonNullable<ConfigDocument[L]>[number];

/** An item of the registry. */
export type CatalogItem = Readonly<Record<string, unknown>>;

/** What a kind's checks know of the deployment. */
export interface WorkerFacts {
  /** That the workers can provide. */
  readonly sandboxes: readonly Sandbox[];
}

/** A kind of catalog entry, of which import, export and removal need to know nothing else. */
export interface CatalogKind<L extends CatalogList, Stored = unknown> {
  /** The entries' list in documents, which also names their counter and limit. */
  readonly list: L;
  /** The kind of the entries' items in the registry. */
  readonly kind: string;
  readonly nameOf: (entry: EntryOf<L>) => string;
  /** Checks that a schema can't make, because they depend on the deployment. Default: there are none. */
  readonly problems?: (entries: readonly EntryOf<L>[], workers: WorkerFacts) => FieldProblem[];
  /**
   * Each change of an entry also writes its item under `versionKey`, where it stays after the entry's removal. Items have
   * their number in `version`.
   */
  readonly isVersioned?: true;
  /**
   * What an import writes.
   * @param before the item of the entry's name, if there is one
   * @param version the number of the next version
   */
  readonly imported: (
    entry: EntryOf<L>,
    before: CatalogItem | undefined,
    at: string,
    version: number,
  ) => {
    readonly item: CatalogItem;
    /** The entry is already stored like this. */
    readonly isSame: boolean;
    /** It adds to the number of imported entries. */
    readonly isNew: boolean;
  };
  /** The entry of a document that an item is; undefined: it was not imported. */
  readonly exported: (item: CatalogItem) => EntryOf<L> | undefined;
  /**
   * What the removal of an entry answers, and the item that takes its place, if any.
   * @param item undefined: the registry has none of this name
   * @throws ApiError `not_found`, or why the entry can't be removed
   */
  readonly removed: (
    name: string,
    item: CatalogItem | undefined,
    deployment: { readonly defaultProfile: string },
  ) => { readonly answer: Stored; readonly item?: CatalogItem };
}
