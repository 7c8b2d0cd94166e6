import type {Gate} from '../../../lib/model/gate.ts';
import {defineCommand} from '../../command.ts';
import {gateDetails} from '../../gate-text.ts';
import {gateJson} from '../../records.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'gate show <gate>',
  describe: 'Show a question with its options, evidence and answers',
  examples: [['k3m9', 'Show the question whose id begins so']],
  topic: 'gates',
  async run(args, session) {
    const gate = await (await session.view()).find<Gate>('g', args.gate);
    printResult(session, {schema: 'loopx/gate@1', gate: gateJson(gate)}, () =>
      gateDetails(gate, {id: gate.id, nowMs: session.world.now(), output: session.stdout}),
    );
  },
});
