// Fits sections into the token budget. Key facts are whole, come what may; the others get what is left in the order of
// their priority, and what they don't get is counted. The shortest brief names everything as left out, and each piece
// that is put in makes that list shorter, so adding up what the pieces cost never comes out too low.
import type {BriefFacts} from './brief.ts';
import {quoteBlock, quoteItem} from './mark.ts';
import {type RenderedSection, renderBrief, renderSection} from './render.ts';
import type {Entry, Section} from './select.ts';
import {cutToTokens, estimateTokens} from './tokens.ts';

export type Fitted = {
  readonly sections: readonly RenderedSection[];
  readonly leftOut: readonly string[];
  readonly isOver: boolean;
};

/** A brief points to the lists; it does not replace them. */
const listedMax = 25;
/** How much of what is left one long text may take. */
const textShare = 0.75;
/** A text that is cut shorter than this says nothing. */
const textTokensMin = 24;

/** Returns the sections that fit, rendered, and says what was left out. */
export function fitSections(facts: BriefFacts, sections: readonly Section[]): Fitted {
  const keys = sections.filter(({kind}) => kind === 'key');
  const others = sections.filter(({kind}) => kind !== 'key');
  const shortest: Fitted = {
    sections: keys.map(section => rendered(section, bodyOf(section, section.entries))),
    leftOut: others.map(({entries, leftOut}) => leftOut(entries.length)),
    isOver: false,
  };
  let left = facts.limitTokens - estimateTokens(renderBrief(facts, shortest));
  if (left < 0) return {...shortest, isOver: true};
  const kept: RenderedSection[] = [];
  const leftOut: string[] = [];
  for (const section of others) {
    const fitted = section.kind === 'list' ? fitList(section, left) : fitText(section, left);
    if (fitted.missing > 0) leftOut.push(section.leftOut(fitted.missing));
    if (fitted.body === '') continue;
    const one = rendered(section, fitted.body);
    left -= estimateTokens(`\n\n${renderSection(one)}`);
    kept.push(one);
  }

  return {sections: [...shortest.sections, ...kept], leftOut, isOver: false};
}

type FittedBody = {readonly body: string; readonly missing: number};

function fitList(section: Section, tokensMax: number): FittedBody {
  const {entries} = section;
  let left = tokensMax - headTokens(section);
  const kept: string[] = [];
  for (const entry of entries.slice(0, listedMax)) {
    const text = bodyOf(section, [entry]);
    left -= estimateTokens(`\n${text}`);
    if (left < 0) break;
    kept.push(text);
  }

  return {body: kept.join('\n'), missing: entries.length - kept.length};
}

function fitText(section: Section, tokensMax: number): FittedBody {
  const body = bodyOf(section, section.entries);
  const tokensLeft = Math.floor((tokensMax - headTokens(section)) * textShare);
  if (estimateTokens(body) <= tokensLeft) return {body, missing: 0};
  if (tokensLeft < textTokensMin) return {body: '', missing: 1};
  return {body: wholeLines(cutToTokens(body, tokensLeft)), missing: 1};
}

// A cut that falls between lines would leave an ellipsis without a mark, or a mark without a text.
function wholeLines(cut: string): string {
  return cut.replace(/(?:\n>?[ -]*)+…$/u, '…');
}

function headTokens(section: Section): number {
  return estimateTokens(`\n\n${renderSection(rendered(section, ''))}`);
}

function rendered({heading, note}: Section, body: string): RenderedSection {
  return {heading, ...(note !== undefined && {note}), body};
}

function bodyOf({style}: Section, entries: readonly Entry[]): string {
  return entries.map(style === 'item' ? quoteItem : quoteBlock).join('\n');
}
