// The pages of `loopx help TOPIC`: Markdown files beside this one, also in the bundle, which lies in a folder of its own.
import {readdir, readFile} from 'node:fs/promises';

const folders = [new URL('./help/', import.meta.url), new URL('../cli/help/', import.meta.url)];

/** Returns the names of all topics. */
export async function helpTopics(): Promise<readonly string[]> {
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => undefined);
    if (names) return names.filter(name => name.endsWith('.md')).map(name => name.slice(0, -3));
  }

  return [];
}

/** Returns the Markdown of a topic; undefined where there is none. */
export async function readTopic(topic: string): Promise<string | undefined> {
  if (!/^[a-z-]+$/.test(topic)) return undefined;
  for (const folder of folders) {
    const text = await readFile(new URL(`${topic}.md`, folder), 'utf8').catch(() => undefined);
    if (text !== undefined) return text;
  }

  return undefined;
}
