// The log of a running round: all that the agent prints, for people who watch it or look for what went wrong. It is
// bounded, it belongs to its owner alone (agents print secrets), and a full disk stops the log, not the round.
import {type FileHandle, mkdir, open} from 'node:fs/promises';
import path from 'node:path';

export type LiveLog = {
  /** Resolves once the text is handed to the system, so that a fast agent waits for a slow disk. */
  readonly write: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
  /** Why nothing more is written, if the log broke. */
  readonly problem: () => string | undefined;
};

export const logBytesMax = 64 * 1024 * 1024;

/** Opens the log for appending and creates its folder. */
export async function openLiveLog(file: string, bytesMax = logBytesMax): Promise<LiveLog> {
  let problem: string | undefined;
  let handle: FileHandle | undefined;
  let sizeBytes = 0;
  const guarded = async (action: () => Promise<void>) => {
    try {
      await action();
    } catch (error) {
      problem = `The log ${file} could not be written: ${(error as Error).message}`;
      await handle?.close().catch(() => {});
      handle = undefined;
    }
  };

  await guarded(async () => {
    await mkdir(path.dirname(file), {recursive: true});
    handle = await open(file, 'a', 0o600);
    sizeBytes = (await handle.stat()).size;
  });

  return {
    write: text =>
      guarded(async () => {
        if (!handle || text === '' || sizeBytes >= bytesMax) return;
        const bytes = Buffer.from(text);
        const room = bytesMax - sizeBytes;
        const note = bytes.length > room ? `\n[loopx: the log ends here, at ${bytesMax} bytes]\n` : '';
        await handle.appendFile(bytes.length > room ? bytes.subarray(0, room) : bytes);
        await handle.appendFile(note);
        sizeBytes += bytes.length;
      }),
    close: () =>
      guarded(async () => {
        await handle?.close();
        handle = undefined;
      }),
    problem: () => problem,
  };
}
