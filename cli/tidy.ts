// What a long command does before it ends, when nobody waits for it any more.
import {packWhenDue} from '../lib/store/packing.ts';
import {oneLine} from './print.ts';
import type {Session} from './session.ts';

/** Packs what loopx wrote, where there is much of it. It's a kindness to the disk, and no command fails of it. */
export async function tidy(session: Session): Promise<void> {
  const {world, signal} = session;
  if (signal.aborted || (await session.config()).get('maintenance').value === 'off') return;
  try {
    await packWhenDue(await session.repository(), await session.store(), world, {signal});
  } catch (error) {
    session.say(`  (${oneLine((error as Error).message)})`);
  }
}
