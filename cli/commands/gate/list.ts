import type {Gate} from '../../../lib/model/gate.ts';
import {defineCommand} from '../../command.ts';
import {gateDetails} from '../../gate-text.ts';
import {plural} from '../../print.ts';
import {gateJson} from '../../records.ts';
import {printResult} from '../../result.ts';
import {shorten} from '../../short-ids.ts';

export const command = defineCommand({
  usage: 'gate list',
  describe: 'List the questions that wait for an answer',
  options: {all: {type: 'boolean', describe: 'Also those that are answered or withdrawn', alias: 'a'}},
  topic: 'gates',
  async run(args, session) {
    const view = await session.view();
    const gates = [...(await view.all<Gate>('gates'))].sort((a, b) => (a.created < b.created ? -1 : 1));
    printResult(session, {schema: 'loopx/gate-list@1', gates: gates.map(gateJson)}, () => {
      const shown = args.all ? gates : gates.filter(({status}) => status === 'open');
      const closed = gates.length - shown.length;
      const more = closed > 0 ? [`${plural(closed, 'question')} closed: loopx gate list --all`] : [];
      if (shown.length === 0) return ['No question is open.', ...more];
      const short = shorten(gates.map(({id}) => id));
      const context = {nowMs: session.world.now(), output: session.stdout};
      const texts = shown.map(gate => gateDetails(gate, {...context, id: short(gate.id)}));
      return [...texts.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines])), ...more];
    });
  },
});
