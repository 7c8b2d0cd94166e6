// A file system in memory, with as much of Node's as isomorphic-git asks for: what is looked at once is never written to
// a disk. Folders are there when something lies below them.

type Stats = {
  readonly isFile: () => boolean;
  readonly isDirectory: () => boolean;
  readonly isSymbolicLink: () => boolean;
  readonly size: number;
};

/** Returns an empty one; its paths are absolute. */
export function memoryFiles() {
  const files = new Map<string, Buffer>();
  const below = (path: string) => {
    const folder = path.endsWith('/') ? path : `${path}/`;
    const inside = [...files.keys()].filter(name => name.startsWith(folder));
    return [...new Set(inside.map(name => name.slice(folder.length).split('/')[0]!))];
  };
  const stat = async (path: string): Promise<Stats> => {
    const file = files.get(path);
    if (!file && below(path).length === 0) throw missing(path);
    const isFile = file !== undefined;
    return {isFile: () => isFile, isDirectory: () => !isFile, isSymbolicLink: () => false, size: file?.length ?? 0};
  };
  const remove = async (path: string) => {
    if (!files.delete(path)) throw missing(path);
  };
  return {
    promises: {
      async readFile(path: string, options?: string | {readonly encoding?: string}): Promise<Buffer | string> {
        const file = files.get(path);
        if (!file) throw missing(path);
        const encoding = typeof options === 'string' ? options : options?.encoding;
        return encoding === undefined ? file : file.toString(encoding as BufferEncoding);
      },
      async writeFile(path: string, content: string | Uint8Array): Promise<void> {
        files.set(path, Buffer.from(content as Uint8Array));
      },
      async readdir(path: string): Promise<string[]> {
        const names = below(path);
        if (names.length === 0) throw missing(path);
        return names;
      },
      stat,
      lstat: stat,
      unlink: remove,
      rm: remove,
      mkdir: async () => {},
      rmdir: async () => {},
      readlink: async (path: string): Promise<never> => Promise.reject(missing(path)),
      symlink: async (_: string, path: string): Promise<never> => Promise.reject(missing(path)),
    },
  };
}

function missing(path: string): Error {
  return Object.assign(new Error(`There is no ${path}.`), {code: 'ENOENT'});
}
