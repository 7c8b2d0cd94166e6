import {addDecision} from '../../../lib/change/gate.ts';
import type {Decision} from '../../../lib/model/decision.ts';
import {changeRecord} from '../../change-record.ts';
import {defineCommand} from '../../command.ts';
import {oneLine} from '../../print.ts';
import {decisionJson} from '../../records.ts';
import {printResult} from '../../result.ts';
import {roundOf} from '../../round-env.ts';

export const command = defineCommand({
  usage: 'decision add <text>',
  describe: 'Record what was decided; every later round is told',
  options: {
    why: {type: 'string', describe: 'The reason', value: 'TEXT'},
    replaces: {type: 'strings', describe: 'A decision that it takes the place of; may be repeated', value: 'DECISION'},
  },
  examples: [
    ['"Keep the old API for one release" --why "Two users depend on it"', 'Decide something'],
    ['"Drop the old API" --replaces k3m9', 'Decide otherwise'],
  ],
  async run(args, session) {
    const {text, why, replaces} = args;
    const {round} = roundOf(session.world.env);
    const change = addDecision({text, ...(why && {why}), replaces, ...(round && {round})});
    const made = await changeRecord<Decision>(session, 'd', ([event]) => String(event!.decision), change);
    const {record: decision, id} = made;
    printResult(session, {schema: 'loopx/decision@1', decision: decisionJson(decision)}, () => [
      `Decided ${id}: ${oneLine(decision.text)}`,
      '  See all: loopx decision list',
    ]);
  },
});
