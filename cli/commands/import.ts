import {access} from 'node:fs/promises';
import {resolve} from 'node:path';
import {Failure} from '../../lib/failure.ts';
import {openGates} from '../../lib/model/goal.ts';
import {viewGoal} from '../../lib/store/view.ts';
import {type Imported, importBundle} from '../../lib/sync/bundle.ts';
import {defineCommand} from '../command.ts';
import {plural} from '../print.ts';
import {printResult} from '../result.ts';

const told: Readonly<Record<Imported['kind'], string>> = {
  new: 'is here now',
  forward: 'was brought up to date',
  merged: 'was merged with what was done here',
  same: 'was here already',
  behind: 'is further here than in the file',
};

export const command = defineCommand({
  usage: 'import <file>',
  describe: 'Take in a goal from a file that `loopx export` wrote, and merge it where it is known',
  examples: [['py3.bundle', 'Take in what came by mail']],
  topic: 'bundles',
  async run(args, session) {
    const file = resolve(session.cwd, args.file);
    await access(file).catch(() => {
      throw new Failure('not-found', `There is no file ${args.file}.`);
    });
    const [repository, store] = await Promise.all([session.repository(), session.store()]);
    const imported = await importBundle({repository, store, world: session.world}, file);
    const goals = await Promise.all(
      imported.map(async ({goal, kind, tip, notes}) => {
        const {goal: state} = await viewGoal(store, goal, tip);
        return {goal, kind, tip, notes, gates: openGates(state).map(({id}) => id)};
      }),
    );
    printResult(session, {schema: 'loopx/import@1', goals}, () =>
      goals.flatMap(({goal, kind, notes, gates}) => [
        `${goal} ${told[kind]}.`,
        ...(notes > 0 ? [`  ${plural(notes, 'line')} added to the notes of commits`] : []),
        ...(gates.length > 0 ? [`  ${plural(gates.length, 'question')} open: loopx gate list --goal ${goal}`] : []),
        `  See where it is: loopx status ${goal}`,
      ]),
    );
  },
});
