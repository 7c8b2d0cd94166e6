// All that the doctor looks at. Another examination is one more row.
import {examineAgents, examineExecutors, examineLogin} from './agents.ts';
import {examineConnection} from './connection.ts';
import type {Sign} from './finding.ts';
import {examineClock, examineGoals, examineRounds, examineTrust} from './goals.ts';
import {examineHooks} from './hooks.ts';
import {examineLeftovers, examineLocks, examineRefs} from './leftovers.ts';
import {examineDisk, examineEnvironment, examineGit, examineNode} from './machine.ts';
import type {Patient, WholePatient} from './patient.ts';
import {examineProxies} from './proxies.ts';
import {examineIdentity, examineRepository} from './repository.ts';
import {examineSettings} from './settings.ts';

/** One look. It finds nothing where there is nothing to say. */
export type Examination = {readonly name: string} & (
  | {readonly of: 'machine'; readonly examine: (patient: Patient) => Promise<readonly Sign[]>}
  | {readonly of: 'repository'; readonly examine: (patient: WholePatient) => Promise<readonly Sign[]>}
);

export const examinations: readonly Examination[] = [
  {name: 'git', of: 'machine', examine: examineGit},
  {name: 'node', of: 'machine', examine: examineNode},
  {name: 'environment', of: 'machine', examine: examineEnvironment},
  {name: 'repository', of: 'machine', examine: examineRepository},
  {name: 'identity', of: 'repository', examine: examineIdentity},
  {name: 'connection', of: 'repository', examine: examineConnection},
  {name: 'hooks', of: 'repository', examine: examineHooks},
  {name: 'settings', of: 'machine', examine: examineSettings},
  {name: 'agents', of: 'machine', examine: examineAgents},
  {name: 'executors', of: 'machine', examine: examineExecutors},
  {name: 'login', of: 'machine', examine: examineLogin},
  {name: 'proxies', of: 'machine', examine: examineProxies},
  {name: 'goals', of: 'repository', examine: examineGoals},
  {name: 'trust', of: 'repository', examine: examineTrust},
  {name: 'rounds', of: 'repository', examine: examineRounds},
  {name: 'clock', of: 'repository', examine: examineClock},
  {name: 'disk', of: 'machine', examine: examineDisk},
  {name: 'locks', of: 'repository', examine: examineLocks},
  {name: 'leftovers', of: 'repository', examine: examineLeftovers},
  {name: 'refs', of: 'repository', examine: examineRefs},
];
