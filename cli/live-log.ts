// What a person sees while an agent works: what it says and does, how long it has been at it, and what that cost so far.
import type {Known} from '../lib/loop/drive.ts';
import type {AgentEvent} from '../lib/loop/executor.ts';
import {clockTime} from '../lib/policy/schedule.ts';
import {amount, cutTo, money, oneLine, styled} from './print.ts';
import type {Session} from './session.ts';

const usageEveryMs = 5000;

export type LiveView = {
  readonly begin: () => void;
  readonly event: (event: AgentEvent, known: Known) => void;
};

/** Returns a live view of rounds on standard error. */
export function liveView(session: Session): LiveView {
  const {stderr, world} = session;
  let startedMs = world.now();
  let usageAtMs = 0;
  const line = (mark: string, text: string) => {
    const clock = elapsed(world.now() - startedMs);
    session.say(
      `${styled(stderr, 'dim', clock)} ${mark} ${cutTo(text, Math.max(stderr.columns - clock.length - 4, 20))}`,
    );
  };

  return {
    begin: () => {
      startedMs = world.now();
      usageAtMs = 0;
    },
    event: (event, known) => {
      switch (event.kind) {
        case 'message':
          for (const text of event.text.split('\n').filter(part => part.trim() !== '')) line('›', text);
          break;
        case 'raw':
          if (oneLine(event.line) !== '') line(' ', event.line);
          break;
        case 'tool-call':
          line('$', `${event.name} ${event.input}`);
          break;
        case 'tool-result':
          if (!event.ok) line(styled(stderr, 'red', '✗'), event.output);
          break;
        case 'retry':
          line(styled(stderr, 'yellow', '↻'), `try ${event.attempt}: ${event.class}`);
          break;
        case 'rate-limit':
          line(styled(stderr, 'yellow', '⏳'), `limited until ${clockTime(new Date(event.resetAtMs).toISOString())}`);
          break;
        case 'error':
          line(styled(stderr, 'red', '✗'), event.message);
          break;
        case 'compaction':
          line('·', 'the agent compacts its context');
          break;
        case 'usage':
          if (world.now() - usageAtMs < usageEveryMs) break;
          usageAtMs = world.now();
          line('·', usageText(known.usage));
          break;
        default:
      }
    },
  };
}

/** Returns what was used, in short: `12 k tokens, $0.41, context 34 %`. */
export function usageText(usage: Known['usage']): string {
  const {inputTokens = 0, outputTokens = 0, costUsd, contextTokens, contextWindow} = usage;
  return [
    `${amount(inputTokens + outputTokens)} tokens`,
    ...(costUsd === undefined ? [] : [money(costUsd * 1_000_000)]),
    ...(contextTokens && contextWindow ? [`context ${Math.round((100 * contextTokens) / contextWindow)} %`] : []),
  ].join(', ');
}

function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${String(Math.floor(seconds / 60)).padStart(3)}:${String(seconds % 60).padStart(2, '0')}`;
}
