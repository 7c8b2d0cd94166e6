// What a sync did, as people see it: one line for each thing that came, went or waits.
import type {Taken} from '../lib/sync/integrate.ts';
import type {SyncReport} from '../lib/sync/sync.ts';
import {plural} from './print.ts';

/** Returns the lines about one remote. */
export function syncText(report: SyncReport, {dryRun}: {readonly dryRun: boolean}): readonly string[] {
  const {remote, came, sent, waiting, notices, problem} = report;
  const lines = [
    ...came.map(each => `came   ${takenText(each)}`),
    ...sent.map(each => `sent   ${what(each)}`),
    // Why is told once, with the failure.
    ...waiting.map(each => `waits  ${what(each)}${each.why === '' || problem ? '' : `: ${each.why}`}`),
    ...notices.filter(notice => waiting.every(({why}) => why !== notice)),
  ];
  if (lines.length > 0) return [remote, ...lines.map(line => `  ${line}`)];
  if (problem) return [];
  return [dryRun ? `Nothing waits for ${remote}.` : `${remote} and this repository have the same.`];
}

/** Returns what was taken in as one phrase. */
export function takenText(taken: Taken): string {
  const how = {new: ', new here', forward: '', merged: ', merged', parted: ', another goal of the same name'}[
    taken.kind
  ];
  const kept = taken.keptAs === undefined ? '' : `; the one that was here is now ${taken.keptAs}`;
  return `${what(taken)}${how}${kept}`;
}

function what({goal, events}: {readonly goal?: string | undefined; readonly events: number}): string {
  return goal === undefined ? 'the notes' : `${goal}: ${plural(events, 'event')}`;
}
