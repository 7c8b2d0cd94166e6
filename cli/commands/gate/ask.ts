import {askGate} from '../../../lib/change/gate.ts';
import type {Gate} from '../../../lib/model/gate.ts';
import {openGates} from '../../../lib/model/goal.ts';
import {changeRecord} from '../../change-record.ts';
import {defineCommand} from '../../command.ts';
import {gateDetails} from '../../gate-text.ts';
import {gateJson} from '../../records.ts';
import {printResult} from '../../result.ts';
import {roundOf} from '../../round-env.ts';

export const command = defineCommand({
  usage: 'gate ask <question>',
  describe: 'Ask a person a concrete question, and stop what depends on the answer',
  options: {
    option: {type: 'strings', describe: 'An answer to choose from; may be repeated', alias: 'o', value: 'TEXT'},
    recommend: {type: 'string', describe: 'The option that you would choose', value: 'TEXT'},
    evidence: {type: 'string', describe: 'What to decide on: facts, places, figures', value: 'TEXT'},
    blocks: {
      type: 'strings',
      describe: 'What waits: goal, todo:ID, agent:NAME or action:WORD; may be repeated. In a round, its todo',
      value: 'WHAT',
    },
    approval: {type: 'boolean', describe: 'It asks for a permission, such as to publish'},
  },
  examples: [
    ['"Drop Node 18 in the public API?" -o "drop it" -o "keep it" --recommend "drop it"', 'Ask what to choose'],
    ['"Publish version 2.0 to npm?" --approval --blocks action:publish', 'Ask for a permission'],
  ],
  topic: 'gates',
  async run(args, session) {
    const {question, option: options, recommend, evidence} = args;
    const {todo, round} = roundOf(session.world.env);
    const blocks = args.blocks.length > 0 ? args.blocks : [todo === undefined ? 'goal' : `todo:${todo}`];
    const given = Object.fromEntries(Object.entries({recommend, evidence, round}).filter(([, text]) => text));
    const change = askGate({question, options, blocks, kind: args.approval ? 'approval' : 'question', ...given});
    const asked = await changeRecord<Gate>(
      session,
      'g',
      ([event], {goal}) => String(event?.gate ?? openGates(goal).find(({title}) => title === question)?.id),
      change,
    );
    const {record: gate, id, events} = asked;
    printResult(session, {schema: 'loopx/gate@1', gate: gateJson(gate)}, () => [
      ...(events.length === 0 ? ['This is being asked already.'] : []),
      ...gateDetails(gate, {id, nowMs: session.world.now(), output: session.stdout}),
      ...(session.agent === undefined ? [] : ['  Only a person can answer; work on what does not wait for it.']),
    ]);
  },
});
