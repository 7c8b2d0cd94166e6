import {saveNow} from '../../../lib/loop/checkpoint.ts';
import {namedRound} from '../../../lib/loop/running.ts';
import {defineCommand} from '../../command.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'checkpoint save [text]',
  describe: 'Save a recovery point: where the work stands, and the working tree as it is',
  options: {todo: {type: 'string', describe: 'The todo that it belongs to', value: 'TODO'}},
  examples: [['"Before the big rename"', 'Save one by hand']],
  topic: 'checkpoints',
  async run(args, session) {
    const [repository, writer, config, view] = await Promise.all([
      session.repository(),
      session.writer(),
      session.config(),
      session.view(),
    ]);
    const wanted = args.todo ?? session.world.env.LOOPX_TODO;
    const todo = wanted ? await view.resolve('t', wanted) : undefined;
    const round = (await namedRound(repository.gitDir))?.round;
    const checkpoint = await saveNow(repository, writer, {
      ...{goal: view.id, trigger: 'hand', digest: args.text ?? 'Saved by hand'},
      maxFileSizeBytes: config.sizeBytes('snapshot.maxFileSize'),
      ...(todo && {todo}),
      ...(round && {round}),
    });
    const {partial = [], large = [], nested = []} = checkpoint.snapshot ?? {};
    printResult(session, {schema: 'loopx/checkpoint@1', checkpoint}, () => [
      `Saved checkpoint ${checkpoint.id}`,
      ...(partial.length > 0 ? [`  Partial: could not read ${partial.join(', ')}`] : []),
      ...(large.length > 0 ? [`  Not saved, as too large: ${large.join(', ')}`] : []),
      ...(nested.length > 0 ? [`  Not saved, as repositories of their own: ${nested.join(', ')}`] : []),
      `  Go back to it with: loopx checkpoint restore ${checkpoint.id}`,
    ]);
  },
});
