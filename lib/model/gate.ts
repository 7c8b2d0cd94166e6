// A gate is a concrete question that a person decides, with what it blocks until then. A vague one is refused: whoever
// is woken at three in the morning must be able to answer from the question alone.
import {Failure} from '../failure.ts';
import type {Registers} from './register.ts';

export type GateKind = 'question' | 'approval' | 'stalled' | 'unverified' | 'contested';

/** What waits for the answer: `goal`, `todo:t-…`, `agent:claude@mbp`, or `action:push`. */
export type GateBlock = string;

export type Gate = Registers & {
  readonly id: string;
  readonly kind: GateKind;
  readonly status: 'open' | 'answered' | 'withdrawn';
  readonly question: string;
  readonly options: readonly string[];
  readonly recommend?: string;
  readonly evidence?: string;
  readonly blocks: readonly GateBlock[];
  readonly answer?: string;
  /** Every answer that was given, with its reason. */
  readonly answers: readonly GateAnswer[];
  /** For a contradiction: the record and the field whose settings differ. */
  readonly about?: {readonly record: string; readonly field: string};
  readonly round?: string;
  readonly askedAt: string;
  readonly askedBy: string;
};

export type GateAnswer = {
  readonly id: string;
  readonly answer: string;
  readonly reason?: string;
  readonly by: string;
  readonly at: string;
};

const example =
  'A good one: loopx gate ask "Drop support for Node 18 in the public API?" --option "drop it" --option "keep it" --recommend "drop it"';

// Questions that only say that somebody waits; whole-text matches, so that a real question may contain the words.
const empty = [
  /^(please |pls )*(waiting|wait|pending|awaiting|need(s|ed)?|require[sd]?)( for| on)?( (a|the|your|user|human|manual|further|some))*( (confirmation|approval|feedback|input|review|response|answer|reply|instructions?|guidance|permission|clarification|decision|go-?ahead))?$/,
  /^(please |pls |kindly )*(confirm|approve|review|advise|check|continue|proceed|decide|respond|answer|help|clarify)( (this|it|that|me|the (changes?|plan|work|result)|and (continue|proceed)))*( please)?$/,
  /^(should|shall|may|can|could) (i|we|it) (continue|proceed|go on|go ahead|start|do (it|this|that))( now| please)?$/,
  /^(is (this|it|that) )?(ok|okay|good|fine|ready|correct|right|alright)( to (go|proceed|continue))?( now)?$/,
  /^(what (should|do|shall) (i|we) do|what('s| is) next|what now|how (should|shall|do) (i|we) (proceed|continue)|next steps?|any (thoughts|questions|feedback))( next| now| here)?$/,
  /^((a|your|user|human|manual|more|further|some) )*(blocked|stuck|question|confirmation|approval|feedback|input|review|gate|todo|help|tbd|n\/?a|none|yes|no|test)( needed| required| wanted)?$/,
  /^(请)?(等待|需要|待|等)?(您的|你的|用户|人工|进一步)?(的)?(确认|批准|审批|回复|反馈|指示|输入|审核|答复)(一下|吗|中|后继续)?$/,
  /^(请问?)?(我们?)?(是否|能否|可否|要不要)?(该|可以|需要)?(现在)?(下一步)?(继续|怎么办|怎么做|做什么|是什么|开始)?(执行|进行|工作)?(吗|吧|呢)?$/,
  /^(確認|承認|返信|回答)?(待ち|お願いします|してください|をお願いします)$/,
];

/**
 * Refuses a question that nobody could answer, and options that leave nothing to choose.
 *
 * @throws {Failure} `gate-vague`, with an example of a good question.
 */
export function checkQuestion(question: string, options: readonly string[], recommend: string | undefined): void {
  const bare = question
    .trim()
    .toLowerCase()
    .replace(/[\s.!?。！？…:：]+$/gu, '')
    .replace(/\s+/g, ' ');
  const letters = bare.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const isDense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(bare);
  if (letters < (isDense ? 5 : 12) || empty.some(pattern => pattern.test(bare))) {
    throw new Failure('gate-vague', `"${question.trim()}" does not say what is to be decided.`, {hint: example});
  }

  const distinct = new Set(options.map(option => option.trim()));
  if (options.length === 1 || distinct.size !== options.length || distinct.has('')) {
    throw new Failure('gate-vague', 'A gate needs no options, or at least two that differ.', {hint: example});
  }

  if (recommend !== undefined && options.length > 0 && !options.includes(recommend)) {
    throw new Failure('gate-vague', `The recommendation "${recommend}" is none of the options.`, {
      hint: `Recommend one of: ${options.join(' | ')}.`,
    });
  }
}

/** Says whether a gate that blocks `blocks` stops work on this todo by this agent. */
export function blocksWork(blocks: readonly GateBlock[], work: {todo?: string; agent: string}): boolean {
  return blocks.some(
    block =>
      block === 'goal' || block === `agent:${work.agent}` || (work.todo !== undefined && block === `todo:${work.todo}`),
  );
}
