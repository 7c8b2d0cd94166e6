// Nothing an agent started may outlive the loop, even where the loop is killed with SIGKILL and can clean up nothing.
// So each round has a watchdog: a shell in a session of its own that waits on a pipe. The pipe's other end is ours
// alone and breaks with us; without a word of dismissal before, the watchdog ends the agent.
//
// It is a few lines of sh because it sleeps for hours beside each agent, and has to be small and sure rather than
// fast. It ignores the signals that a terminal sends, and doesn't carry the mark: it would find itself.
import {execa} from 'execa';
import {Failure} from '../failure.ts';
import {markName} from './process-table.ts';

export type Watchdog = {
  /** Names the process group to end; before that only the mark leads to the agent. */
  readonly guard: (group: number) => void;
  /** Sends the watchdog home. Resolves when it is gone. */
  readonly dismiss: () => Promise<void>;
};

const script = String.raw`
trap '' HUP INT QUIT TERM
attempt=$1 group=
while read -r verb value; do
  case $verb in
    guard) group=$value ;;
    dismiss) exit 0 ;;
  esac
done

marked() {
  if [ -r /proc/self/environ ]; then
    for dir in /proc/[0-9]*; do
      [ -O "$dir" ] || continue
      tr '\0' '\n' <"$dir/environ" | grep -Fxq "MARK=$attempt" && echo "${'$'}{dir#/proc/}"
    done
  else
    ps -xEww -o pid=,command= | awk -v id="$attempt" '{for (i = 2; i <= NF; i++) if ($i == "MARK=" id) {print $1; next}}'
  fi
}
end() {
  [ -z "$group" ] || kill -s "$1" -- "-$group"
  for pid in $(marked); do kill -s "$1" "$pid"; done
}

end TERM
sleep 2
for try in 1 2 3 4 5; do
  end KILL
  [ -n "$(marked)" ] || exit 0
  sleep 1
done
`.replaceAll('MARK', markName);

/**
 * Starts the watchdog of one attempt.
 *
 * @param path - Where to find `sh`, `tr`, `grep` and `ps`: the user's PATH.
 * @throws {Failure} `io-failed` where no shell could be started.
 */
export function startWatchdog(attempt: string, path: string): Watchdog {
  const shell = execa('sh', ['-c', script, 'loopx-watchdog', attempt], {
    env: {PATH: path},
    extendEnv: false,
    cwd: '/',
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false,
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  if (shell.pid === undefined) {
    throw new Failure('io-failed', 'The watchdog could not be started.', {hint: 'Put a POSIX shell named sh on PATH.'});
  }

  // A watchdog that somebody killed ends the protection, not the round.
  shell.stdin.on('error', () => {});
  return {
    guard: group => void shell.stdin.write(`guard ${group}\n`),
    dismiss: async () => {
      shell.stdin.end('dismiss\n');
      await shell;
    },
  };
}
