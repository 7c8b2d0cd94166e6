// The public API: what programs may build on. The only file that exports what others define.
export {Failure, type FailureCode, isFailure} from './failure.ts';
export {openRepository, type Repository} from './git/repository.ts';
export type {Executor, StreamReader} from './loop/executor.ts';
export type {Gate} from './model/gate.ts';
export type {Goal} from './model/goal.ts';
export type {Todo} from './model/todo.ts';
export {openGitStore} from './store/git-store.ts';
export type {GoalStore} from './store/goal-store.ts';
export {type GoalView, viewGoal} from './store/view.ts';
export type {World} from './world.ts';
