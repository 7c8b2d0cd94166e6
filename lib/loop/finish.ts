// Finishing a goal: what was verified on another tree, or by another list of checks, is run again at HEAD, together
// with the acceptance checks. Only if all of it passes is the goal finished.
import {together} from '../change/change.ts';
import {finishGoal} from '../change/goal.ts';
import {retryTodo, verifyTodo} from '../change/todo.ts';
import {codeState} from '../evidence/code-state.ts';
import {isTrusted} from '../evidence/trust.ts';
import {Failure} from '../failure.ts';
import {readCommit} from '../git/refs.ts';
import {allPassed, type CheckCommand, type CheckResult} from '../model/checks.ts';
import {sameJson} from '../model/json.ts';
import type {Todo} from '../model/todo.ts';
import {changeGoal, type Writer} from '../store/append.ts';
import type {GoalView} from '../store/view.ts';
import type {LoopContext} from './context.ts';
import {runGuarded} from './guarded-checks.ts';

export type Finish =
  | {readonly kind: 'finished'; readonly commit: string; readonly checks: readonly CheckResult[]}
  | {readonly kind: 'open-todos'; readonly count: number}
  | {readonly kind: 'no-checks'}
  | {readonly kind: 'no-commit'}
  | {readonly kind: 'dirty'; readonly paths: readonly string[]}
  | {readonly kind: 'not-trusted'; readonly runs: readonly string[]}
  /** `todos` are those whose own checks failed. */
  | {readonly kind: 'failed'; readonly checks: readonly CheckResult[]; readonly todos: readonly Todo[]};

export type FinishContext = Pick<LoopContext, 'repository' | 'world' | 'config' | 'signal'>;

/**
 * Finishes the goal if everything proves it.
 *
 * @param onFailed - Whether todos whose checks fail are opened again: they are not done after all.
 */
export async function tryFinish(
  context: FinishContext,
  writer: Writer,
  view: GoalView,
  onFailed: 'reopen' | 'tell',
): Promise<Finish> {
  const {repository} = context;
  const {goal} = view;
  if (goal.acceptance.length === 0) return {kind: 'no-checks'};
  const todos = (await view.all<Todo>('todos')).filter(todo => todo.required !== false && todo.status !== 'dropped');
  const open = todos.filter(todo => todo.status !== 'done');
  if (open.length > 0) return {kind: 'open-todos', count: open.length};
  const code = await codeState(repository);
  if (!code.head || !code.tree) return {kind: 'no-commit'};
  if (code.dirty) return {kind: 'dirty', paths: code.changed};

  const lists = [goal.acceptance, ...todos.map(todo => proofOf(todo, goal.acceptance))];
  const runs = [...new Map(lists.flat().map(check => [check.run, check])).values()];
  const foreign = [];
  for (const {run} of runs) if (!(await isTrusted(repository.commonDir, run))) foreign.push(run);
  if (foreign.length > 0) return {kind: 'not-trusted', runs: foreign};

  const checks = await runGuarded(context, runs, {attempt: writer.nextId(), isTrusted: async () => true});
  if ((await readCommit(repository.git, 'HEAD')) !== code.head) {
    throw new Failure('ref-moved', 'HEAD has moved while the checks ran, so that they prove nothing of it.', {
      hint: 'Run it again: loopx goal finish',
    });
  }

  const passed = new Set(checks.filter(check => check.outcome === 'pass').map(check => check.run));
  const passes = (list: readonly CheckCommand[]) => list.every(check => passed.has(check.run));
  const failed = todos.filter(todo => !passes(proofOf(todo, goal.acceptance)));
  const {head: commit, tree} = code;
  const proven = todos.filter(todo => passes(proofOf(todo, goal.acceptance)) && !isProven(todo, tree, goal.acceptance));
  const proofs = proven.map(todo => verifyTodo(todo.id, {tree, checks: proofOf(todo, goal.acceptance)}));
  if (allPassed(checks)) {
    await changeGoal(writer, view.id, together(...proofs, finishGoal({commit, tree})));
    return {kind: 'finished', commit, checks};
  }

  const own = failed.filter(todo => (todo.checks ?? []).some(check => !passed.has(check.run)));
  const reopened = onFailed === 'reopen' ? own.map(todo => retryTodo(todo.id)) : [];
  await changeGoal(writer, view.id, together(...proofs, ...reopened));
  return {kind: 'failed', checks, todos: own};
}

function proofOf(todo: Todo, acceptance: readonly CheckCommand[]): readonly CheckCommand[] {
  return todo.checks && todo.checks.length > 0 ? todo.checks : acceptance;
}

function isProven({verified, checks}: Todo, tree: string, acceptance: readonly CheckCommand[]): boolean {
  const wanted = checks && checks.length > 0 ? checks : acceptance;
  return verified?.tree === tree && sameJson(verified.checks, wanted);
}
