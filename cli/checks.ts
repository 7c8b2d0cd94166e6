// Checks as they are typed: `npm test`, or `unit=npm test` to give it a name.
import {Failure} from '../lib/failure.ts';
import {type CheckCommand, checkName} from '../lib/model/checks.ts';

export function parseChecks(texts: readonly string[]): readonly CheckCommand[] {
  return texts.map(text => {
    const named = /^([\p{L}\p{N}][\p{L}\p{N}_.-]{0,30})=(?!=)(.+)$/su.exec(text.trim());
    const run = (named?.[2] ?? text).trim();
    if (run === '') throw new Failure('usage', 'A check needs a command.', {hint: 'For example: --check "npm test"'});
    return {name: named?.[1] ?? checkName(run), run};
  });
}
