import type { Schemas } from '../../api/client.ts';

export type JobFile = Schemas['JobFile'];

/** A file or folder of a tree. */
export interface FileNode {
  /** The path from the job's folder. */
  readonly path: string;
  readonly name: string;
  /** Undefined: a folder. */
  readonly file: JobFile | undefined;
  readonly children: readonly FileNode[];
}

/** Files as a tree: in each folder its folders first, then its files, in the order of their names. */
export function fileTree(files: readonly JobFile[]): readonly FileNode[] {
  const root = new Folder();
  for (const file of files) {
    const names = file.path.split('/');
    let folder = root;
    for (const name of names.slice(0, -1)) folder = folder.within(name);
    folder.files.set(names.at(-1) ?? '', file);
  }
  return nodesOf(root, '');
}

class Folder {
  readonly folders = new Map<string, Folder>();
  readonly files = new Map<string, JobFile>();

  within(name: string): Folder {
    const found = this.folders.get(name) ?? new Folder();
    this.folders.set(name, found);
    return found;
  }
}

function nodesOf({ folders, files }: Folder, prefix: string): readonly FileNode[] {
  const byName = <T>(entries: Map<string, T>) => [...entries].toSorted(([a], [b]) => a.localeCompare(b));
  return [
    ...byName(folders).map(([name, folder]) => {
      const path = `${prefix}${name}`;
      return { path: `${path}/`, name, file: undefined, children: nodesOf(folder, `${path}/`) };
    }),
    ...byName(files).map(([name, file]) => ({ path: file.path, name, file, children: [] })),
  ];
}
