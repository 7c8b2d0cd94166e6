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
  type Folder = Map<string, string | Folder>;
  const root: Folder = new Map();
  for (const [path, blob] of files) {
    const parts = path.split('/');
    let folder = root;
    for (const part of parts.slice(0, -1)) {
      const inner = folder.get(part) ?? new Map();
      folder.set(part, inner);
      folder = inner as Folder;
    }

    folder.set(parts.at(-1)!, blob);
  }

  const write = (folder: Folder): string => {
    const entries = [...folder].map(([name, entry]) =>
      typeof entry === 'string'
        ? {key: name, mode: '100644', name, id: entry}
        : {key: `${name}/`, mode: '40000', name, id: write(entry)},
    );
    // Git sorts by bytes, and a folder as if its name ended in a slash.
    entries.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
    const parts = entries.flatMap(({mode, name, id}) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
    return objectId(hash, 'tree', Buffer.concat(parts));
  };
  return write(root);
}

function objectId(hash: HashName, type: string, content: Buffer): string {
  return createHash(hash).update(`${type} ${content.length}\0`).update(content).digest('hex');
}
