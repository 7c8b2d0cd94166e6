import type {Change} from '../../../lib/change/change.ts';
import {withdrawGate} from '../../../lib/change/gate.ts';
import type {Gate} from '../../../lib/model/gate.ts';
import {changeRecord} from '../../change-record.ts';
import {defineCommand} from '../../command.ts';
import {requirePerson} from '../../person.ts';
import {oneLine} from '../../print.ts';
import {gateJson} from '../../records.ts';
import {printResult} from '../../result.ts';
import type {Session} from '../../session.ts';

export const command = defineCommand({
  usage: 'gate withdraw <gate>',
  describe: 'Take a question back that no longer needs an answer; an agent only its own',
  options: {reason: {type: 'string', describe: 'Why, for the log', value: 'TEXT'}},
  examples: [['k3m9 --reason "The module is gone"', 'Take a question back']],
  topic: 'gates',
  async run(args, session) {
    const change = withdrawOwn(session, args.gate, args.reason);
    const {record: gate, id, events} = await changeRecord<Gate>(session, 'g', args.gate, change);
    printResult(session, {schema: 'loopx/gate@1', gate: gateJson(gate)}, () =>
      events.length > 0
        ? [`Withdrew ${id}: ${oneLine(gate.question)}`, '  What it blocked goes on: loopx run']
        : `${id} is not open: it was ${gate.status}.`,
    );
  },
});

// Otherwise an agent could pass any gate by taking it away.
function withdrawOwn(session: Session, prefix: string, reason: string | undefined): Change {
  return async (view, draw) => {
    const gate = await view.find<Gate>('g', prefix);
    if (gate.kind !== 'question' || gate.askedBy !== session.agent) requirePerson(session, 'withdraw this gate');
    return withdrawGate(prefix, reason)(view, draw);
  };
}
