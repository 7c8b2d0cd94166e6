// Who acts: some things only a person may do, and a person who takes a todo needs the name of an agent.
import {Failure} from '../lib/failure.ts';
import {slug} from '../lib/model/ids.ts';
import type {Session} from './session.ts';

/**
 * Refuses what is a person's to do.
 *
 * @param deed - In the imperative, with its object: `answer gates`.
 * @throws {Failure} `person-needed` inside an agent's session.
 */
export function requirePerson(session: Session, deed: string): void {
  if (session.agent === undefined) return;
  throw new Failure('person-needed', `Only a person can ${deed}, and this is a session of ${session.agent}.`, {
    hint: 'Run it in a terminal of your own.',
  });
}

/** Returns the name under which claims are held: the agent's, or the person's as `ada-test@mbp`. */
export async function claimant(session: Session): Promise<string> {
  if (session.agent !== undefined) return session.agent;
  const {by} = await session.writer();
  const [name = '', mail = ''] = by.split(/\s*<|@/);
  const telling = [name, mail].find(text => /[a-z0-9]/i.test(text.normalize('NFKD')));
  return `${telling === undefined ? 'person' : slug(telling)}@${session.world.machine}`;
}
