import type {Change} from '../../../lib/change/change.ts';
import {answerGate} from '../../../lib/change/gate.ts';
import {Failure} from '../../../lib/failure.ts';
import type {Gate} from '../../../lib/model/gate.ts';
import {changeRecord} from '../../change-record.ts';
import {defineCommand} from '../../command.ts';
import {gateDetails} from '../../gate-text.ts';
import {requirePerson} from '../../person.ts';
import {oneLine} from '../../print.ts';
import {gateJson} from '../../records.ts';
import {printResult} from '../../result.ts';
import type {Session} from '../../session.ts';

export const command = defineCommand({
  usage: 'gate answer <gate> [answer]',
  describe: 'Answer a question, or correct its answer; only a person can',
  options: {reason: {type: 'string', describe: 'Why; the next round is told', value: 'TEXT'}},
  examples: [
    ['k3m9 1 --reason "Nobody uses it"', 'Choose the first option'],
    ['k3m9 "keep it"', 'Answer by words, or by their beginning'],
  ],
  topic: 'gates',
  async run(args, session) {
    requirePerson(session, 'answer gates');
    const before = await (await session.view()).find<Gate>('g', args.gate);
    const answer = args.answer ?? (await askFor(before, session));
    const change = answerOnce(args.gate, answer, args.reason);
    const {record: gate, id, events} = await changeRecord<Gate>(session, 'g', args.gate, change);
    const given = oneLine(gate.answer ?? answer);
    const isCorrection = before.status === 'answered';
    const told = isCorrection
      ? `Corrected ${id}: now "${given}", before "${oneLine(before.answer ?? '')}".`
      : `Answered ${id}: "${given}".`;
    printResult(session, {schema: 'loopx/gate@1', gate: gateJson(gate)}, () =>
      events.length > 0
        ? [told, '  The next round is told. Go on: loopx run']
        : `${id} has this answer already: "${given}".`,
    );
  },
});

// The same answer twice is one answer.
function answerOnce(prefix: string, answer: string, reason: string | undefined): Change {
  return async (view, draw) => {
    const gate = await view.find<Gate>('g', prefix);
    const events = await answerGate(prefix, answer, reason)(view, draw);
    return gate.status === 'answered' && events.every(event => event.answer === gate.answer) ? [] : events;
  };
}

async function askFor(gate: Gate, session: Session): Promise<string> {
  const hint = `Give it: loopx gate answer ${gate.id} "Your answer"`;
  if (!session.mayAsk) throw new Failure('usage', 'The answer is missing.', {hint});
  const {stderr} = session;
  for (const line of gateDetails(gate, {id: gate.id, nowMs: session.world.now(), output: stderr})) session.say(line);
  const answer = await session.stdin.ask('Your answer: ');
  if (answer.trim() === '') throw new Failure('usage', 'The answer is empty; nothing was answered.', {hint});
  return answer;
}
