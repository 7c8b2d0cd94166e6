// Object ids computed in process, so that a whole history can be checked without a process an object.
import {createHash} from 'node:crypto';

export type HashName = 'sha1' | 'sha256';

/** Returns the hash that an object id was made with. */
export function hashOf(objectId: string): HashName {
  return objectId.length === 64 ? 'sha256' : 'sha1';
}

/** Returns the id of the blob that holds `content`. */
export function blobId(hash: HashName, content: string | Uint8Array): string {
  return objectId(hash, 'blob', Buffer.from(content as string));
}

/** Returns the id of the tree that holds these files, given their blobs' ids by path. */
export function treeId(hash: HashName, files: ReadonlyMap<string, string>): string {
  const tree = openTree(hash);
  for (const [path, blob] of files) tree.set(path, blob);
  return tree.id();
}

/** A tree whose id follows its changes at the cost of the folders that changed. */
export type OpenTree = {
  /** Puts a blob's id at a path; undefined removes the file. */
  readonly set: (path: string, blob: string | undefined) => void;
  readonly id: () => string;
};

/** Returns an empty tree. */
export function openTree(hash: HashName): OpenTree {
  const root = newFolder();
  return {set: (path, blob) => put(root, path.split('/'), blob), id: () => write(hash, root)};
}

// Names and entries are byte strings, one character a byte: they compare as git compares and are joined fast.
type Folder = {
  readonly keys: string[];
  readonly entries: string[];
  readonly folders: Map<string, Folder>;
  id: string | undefined;
};

function newFolder(): Folder {
  return {keys: [], entries: [], folders: new Map(), id: undefined};
}

function put(folder: Folder, [name = '', ...rest]: readonly string[], blob: string | undefined): void {
  folder.id = undefined;
  if (rest.length === 0) {
    place(folder, name, blob && entry('100644', name, blob));
    return;
  }

  const inner = folder.folders.get(name) ?? newFolder();
  folder.folders.set(name, inner);
  put(inner, rest, blob);
}

function write(hash: HashName, folder: Folder): string {
  if (folder.id !== undefined) return folder.id;
  for (const [name, inner] of folder.folders) {
    if (inner.id !== undefined) continue;
    const id = write(hash, inner);
    // Git sorts a folder as if its name ended in a slash, and keeps no empty one.
    place(folder, `${name}/`, inner.keys.length === 0 ? undefined : entry('40000', name, id));
    if (inner.keys.length === 0) folder.folders.delete(name);
  }

  folder.id = objectId(hash, 'tree', Buffer.from(folder.entries.join(''), 'latin1'));
  return folder.id;
}

function entry(mode: string, name: string, id: string): string {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]).toString('latin1');
}

function place({keys, entries}: Folder, name: string, text: string | undefined): void {
  const key = Buffer.from(name).toString('latin1');
  let low = 0;
  for (let high = keys.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }

  const there = keys[low] === key ? 1 : 0;
  keys.splice(low, there, ...(text === undefined ? [] : [key]));
  entries.splice(low, there, ...(text === undefined ? [] : [text]));
}

function objectId(hash: HashName, type: string, content: Buffer): string {
  return createHash(hash).update(`${type} ${content.length}\0`).update(content).digest('hex');
}
