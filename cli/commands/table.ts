// Every command by its path. A command's module is loaded only when it is called.
import type {Command} from '../command.ts';

type Entry = {readonly load: () => Promise<Command>};

const from = <M extends {command: unknown}>(load: () => Promise<M>): Entry => ({
  load: async () => (await load()).command as unknown as Command,
});

export const commandTable: Readonly<Record<string, Entry>> = {
  connect: from(() => import('./connect.ts')),
  'start-goal': from(() => import('./start-goal.ts')),
  status: from(() => import('./status.ts')),
  run: from(() => import('./run.ts')),
  resume: from(() => import('./resume.ts')),
  sync: from(() => import('./sync.ts')),
  log: from(() => import('./log.ts')),
  brief: from(() => import('./brief.ts')),
  doctor: from(() => import('./doctor.ts')),
  fsck: from(() => import('./fsck.ts')),
  export: from(() => import('./export.ts')),
  import: from(() => import('./import.ts')),
  trust: from(() => import('./trust.ts')),
  config: from(() => import('./config.ts')),
  disconnect: from(() => import('./disconnect.ts')),
  help: from(() => import('./help.ts')),
  completion: from(() => import('./completion.ts')),
  'goal list': from(() => import('./goal/list.ts')),
  'goal show': from(() => import('./goal/show.ts')),
  'goal edit': from(() => import('./goal/edit.ts')),
  'goal amend': from(() => import('./goal/amend.ts')),
  'goal pause': from(() => import('./goal/pause.ts')),
  'goal resume': from(() => import('./goal/resume.ts')),
  'goal finish': from(() => import('./goal/finish.ts')),
  'goal archive': from(() => import('./goal/archive.ts')),
  'todo add': from(() => import('./todo/add.ts')),
  'todo list': from(() => import('./todo/list.ts')),
  'todo show': from(() => import('./todo/show.ts')),
  'todo edit': from(() => import('./todo/edit.ts')),
  'todo claim': from(() => import('./todo/claim.ts')),
  'todo release': from(() => import('./todo/release.ts')),
  'todo start': from(() => import('./todo/start.ts')),
  'todo done': from(() => import('./todo/done.ts')),
  'todo block': from(() => import('./todo/block.ts')),
  'todo drop': from(() => import('./todo/drop.ts')),
  'todo retry': from(() => import('./todo/retry.ts')),
  'gate ask': from(() => import('./gate/ask.ts')),
  'gate list': from(() => import('./gate/list.ts')),
  'gate show': from(() => import('./gate/show.ts')),
  'gate answer': from(() => import('./gate/answer.ts')),
  'gate withdraw': from(() => import('./gate/withdraw.ts')),
  'decision add': from(() => import('./decision/add.ts')),
  'decision list': from(() => import('./decision/list.ts')),
  'round begin': from(() => import('./round/begin.ts')),
  'round end': from(() => import('./round/end.ts')),
  'round show': from(() => import('./round/show.ts')),
  'checkpoint save': from(() => import('./checkpoint/save.ts')),
  'checkpoint list': from(() => import('./checkpoint/list.ts')),
  'checkpoint show': from(() => import('./checkpoint/show.ts')),
  'checkpoint diff': from(() => import('./checkpoint/diff.ts')),
  'checkpoint restore': from(() => import('./checkpoint/restore.ts')),
  'checkpoint prune': from(() => import('./checkpoint/prune.ts')),
  'evidence show': from(() => import('./evidence/show.ts')),
  'evidence reattach': from(() => import('./evidence/reattach.ts')),
  'quota show': from(() => import('./quota/show.ts')),
  'quota set': from(() => import('./quota/set.ts')),
  'quota grant': from(() => import('./quota/grant.ts')),
  'quota should-run': from(() => import('./quota/should-run.ts')),
  'agent list': from(() => import('./agent/list.ts')),
};

/** Returns the verbs of a noun; none where it is no noun. */
export function verbsOf(noun: string): readonly string[] {
  return Object.keys(commandTable)
    .filter(path => path.startsWith(`${noun} `))
    .map(path => path.slice(noun.length + 1));
}
