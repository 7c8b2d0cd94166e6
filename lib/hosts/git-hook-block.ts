// The lines that a git hook runs loopx by. In a script of somebody else they stand between two marker lines right after
// the shebang, since the end of a script may lie behind an `exit` or `exec`. Our lines end in LF, the only line end that
// every sh understands.
import {endLine, ownFile, ownLines, removeBlock} from './marked-block.ts';

/** The hooks of git after which a commit may be there that loopx has not seen, and the one that goals are sent by. */
export const hookNames = ['post-commit', 'post-merge', 'post-rewrite', 'post-applypatch', 'pre-push'] as const;

export type HookName = (typeof hookNames)[number];

const shebang = '#!/bin/sh\n';

/** Returns a hook that does nothing but call loopx. */
export function newHook(hook: HookName): string {
  return `${shebang}${block(hook, ownFile, '')}`;
}

/** Returns a script with our lines, brought up to date where it has them. */
export function insertBlock(script: string, hook: HookName): string {
  if (isOwnHook(script)) return newHook(hook);
  const rest = removeBlock(script);
  // What a script of somebody else reads is none of ours to take away.
  const lines = block(hook, ownLines, ' </dev/null');
  if (!rest.startsWith('#!')) return lines + rest;
  const end = rest.indexOf('\n') + 1;
  return end > 0 ? rest.slice(0, end) + lines + rest.slice(end) : `${rest}\n${lines.slice(0, -1)}`;
}

/** Says whether the script is a file of ours to which nobody has added anything. */
export function isOwnHook(script: string): boolean {
  return script.includes(ownFile) && removeBlock(script) === shebang;
}

/** Says whether the script calls loopx, by our lines or by a line that a person put in. */
export function callsLoopx(script: string, hook: HookName): boolean {
  return script.includes(`loopx_hook=${hook} `);
}

/** Says whether sh can read what stands in the file, going by its first line. */
export function isShellScript(script: string): boolean {
  if (script.includes('\0')) return false;
  // Git gives a script without a shebang to sh.
  if (!script.startsWith('#!')) return true;
  const line = script.slice(2).split('\n', 1)[0]!.trim();
  return /^(\S*\/)?(env\s+(-\S+\s+)*)?(\S*\/)?(busybox\s+)?(sh|ash|dash|bash|ksh|mksh|zsh)(\.exe)?(\s|$)/.test(line);
}

/** Returns the line that calls loopx from a hook in any folder; it costs one process more than ours. */
export function lineByHand(hook: HookName): string {
  return (
    `loopx_hook=${hook} loopx_dir=$(git rev-parse --git-common-dir)/loopx; ` +
    '[ ! -r "$loopx_dir/hook" ] || . "$loopx_dir/hook" </dev/null'
  );
}

function block(hook: HookName, begin: string, input: string): string {
  return `${begin}
loopx_hook=${hook} loopx_dir=\${0%/*}/../loopx
[ ! -r "$loopx_dir/hook" ] || . "$loopx_dir/hook"${input}
${endLine}
`;
}
