// Taking in what a fetch of the user's has brought, on the way of another command, and saying so.
import {integrate} from '../lib/sync/integrate.ts';
import {oneLine} from './print.ts';
import type {Session} from './session.ts';
import {takenText} from './sync-text.ts';

/** Takes in tracking refs, and says on stderr what came and what could not be taken in. */
export async function tellTaken(session: Session, tracked: ReadonlyMap<string, string>): Promise<void> {
  const [repository, store] = await Promise.all([session.repository(), session.store()]);
  const {world, signal} = session;
  const {taken, problems} = await integrate({repository, store, world, signal}, tracked);
  if (taken.length > 0) {
    const {reattachNew} = await import('../lib/evidence/reattach-new.ts');
    // What landed on the server as one commit carries the lines of its rounds from now on; if not now, then later.
    await reattachNew(store, repository, world).catch(() => {});
  }

  for (const each of taken) session.say(`Taken in from ${each.remote}: ${takenText(each)}.`);
  for (const [, {message, hint}] of problems) {
    session.say(oneLine(message));
    if (hint !== undefined) session.say(`  ${oneLine(hint)}`);
  }
}
