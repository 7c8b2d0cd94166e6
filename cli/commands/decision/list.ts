import type {Decision} from '../../../lib/model/decision.ts';
import {defineCommand} from '../../command.ts';
import {fieldLines, wrap} from '../../layout.ts';
import {plural, when} from '../../print.ts';
import {decisionJson} from '../../records.ts';
import {printResult} from '../../result.ts';
import {type Shorten, shorten} from '../../short-ids.ts';

export const command = defineCommand({
  usage: 'decision list',
  describe: 'List the decisions that hold',
  options: {all: {type: 'boolean', describe: 'Also those that were replaced', alias: 'a'}},
  async run(args, session) {
    const view = await session.view();
    const decisions = [...(await view.all<Decision>('decisions'))].sort((a, b) => (a.created < b.created ? -1 : 1));
    printResult(session, {schema: 'loopx/decision-list@1', decisions: decisions.map(decisionJson)}, () => {
      const shown = args.all ? decisions : decisions.filter(({replacedBy}) => replacedBy === undefined);
      if (shown.length === 0) {
        return ['No decisions yet.', '  Record one: loopx decision add "What was decided" --why "The reason"'];
      }

      const replaced = decisions.length - shown.length;
      const context = {short: shorten(decisions.map(({id}) => id)), nowMs: session.world.now()};
      return [
        ...shown.flatMap(decision => decisionLines(decision, {...context, columns: session.stdout.columns})),
        ...(replaced > 0 ? [`${plural(replaced, 'decision')} replaced: loopx decision list --all`] : []),
      ];
    });
  },
});

function decisionLines(
  decision: Decision,
  {short, nowMs, columns}: {short: Shorten; nowMs: number; columns: number},
): readonly string[] {
  const id = short(decision.id);
  const [first = '', ...rest] = wrap(decision.text, columns, ' '.repeat(id.length + 2));
  return [
    `${id}  ${first.trimStart()}`,
    ...rest,
    ...fieldLines(
      [
        ['why', decision.why],
        ['instead of', decision.replaces?.map(short).join(', ')],
        ['replaced by', decision.replacedBy && short(decision.replacedBy)],
        ['decided', `${when(decision.at, nowMs)} by ${decision.by}`],
      ],
      columns,
    ),
  ];
}
