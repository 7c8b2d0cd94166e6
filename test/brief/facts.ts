// The facts of a goal in the middle of its work, to be changed by each test.
import type {BriefFacts} from '../../lib/brief/brief.ts';
import {type Goal, noTotals} from '../../lib/model/goal.ts';

const goal: Goal = {
  ...{format: 1, id: 'port-ledger-k3m9', created: '01A', status: 'active', phase: 'core', policy: {}},
  objective: 'Port the ledger to Python 3.\n\nKeep its file format.',
  acceptance: [{name: 'tests', run: 'python3 -m pytest -q'}],
  constraints: ['No new dependencies.', 'Python 3.9 or later.'],
  scope: ['ledger/**', 'tests/**'],
  ...{createdAt: '2026-11-29T08:00:00.000Z', createdBy: 'Ada <ada@example.org>', grants: [], clock: 40, changed: 40},
  amendments: [
    {id: '01B', at: '2026-11-30T09:00:00.000Z', by: 'Ada <ada@example.org>', text: 'Keep the CLI as it is.'},
  ],
  totals: {...noTotals, todos: 4, done: 1, verified: 1},
  ...{live: [], rounds: [], open: []},
};

export const facts: BriefFacts = {
  goal,
  gates: [
    {
      ...{id: 'g-a1b2c3d4', created: '01D', kind: 'question', status: 'answered', blocks: ['goal'], options: []},
      question: 'Drop Python 2 for good?',
      answer: 'drop it',
      answers: [
        {id: '01E', answer: 'keep it', reason: 'Not sure yet.', by: 'Ada', at: '2026-11-30T10:00:00.000Z'},
        {id: '01F', answer: 'drop it', reason: 'Nobody runs it.', by: 'Ada', at: '2026-11-30T11:00:00.000Z'},
      ],
      ...{askedAt: '2026-11-30T09:30:00.000Z', askedBy: 'claude@mbp'},
    },
    {
      ...{id: 'g-e5f6g7h8', created: '01G', kind: 'approval', status: 'open', blocks: ['action:publish'], options: []},
      ...{
        question: 'Publish 2.0 to the index?',
        answers: [],
        askedAt: '2026-11-30T12:00:00.000Z',
        askedBy: 'claude@mbp',
      },
    },
  ],
  decisions: [
    {id: 'd-00000002', created: '01I', text: 'Read files as UTF-8.', why: 'All samples are.', at: '', by: ''},
    {id: 'd-00000001', created: '01H', text: 'Use six.', replacedBy: 'd-00000003', at: '', by: ''},
    {id: 'd-00000003', created: '01J', text: 'No six.', replaces: ['d-00000001'], at: '', by: ''},
  ],
  todo: {
    ...{
      id: 't-k3m9x7q2',
      created: '01K',
      title: 'Port the storage module',
      status: 'open',
      priority: 1,
      attempts: 2,
      clock: 2,
    },
    detail: 'Only `storage.py`.\n```\nopen(path, "rb")\n```',
    checks: [{name: 'storage', run: 'python3 -m pytest -q tests/test_storage.py'}],
    reason: 'The samples were missing.',
    ...{claims: [], createdAt: '2026-11-29T09:00:00.000Z', createdBy: 'claude@mbp'},
  },
  checkpoint: {
    ...{id: 'c-11112222', created: '01L', trigger: 'round-end', todo: 't-k3m9x7q2', by: 'claude@mbp'},
    digest: 'Reading works; writing still opens files as text.',
    progress: {open: 3, done: 1, verified: 1, total: 4},
    at: '2026-11-30T13:00:00.000Z',
  },
  todos: [
    {id: 't-k3m9x7q2', status: 'open', priority: 1, clock: 2, title: 'Port the storage module'},
    {id: 't-w5w5w5w5', status: 'blocked', priority: 2, clock: 3, title: 'Port the report'},
    {id: 't-y7y7y7y7', status: 'open', priority: 3, clock: 4, title: 'Write the release notes'},
  ],
  rounds: [
    {
      ...{round: 'r-aaaa1111', agent: 'codex@ci', todo: 't-z9z9z9z9', outcome: 'done', summary: 'Ported the parser.'},
      ...{at: '2026-11-30T12:00:00.000Z', seconds: 300, tokens: 9000, microUsd: 1, billed: true},
    },
    {
      ...{round: 'r-bbbb2222', agent: 'claude@mbp', todo: 't-k3m9x7q2', outcome: 'progress', summary: 'Reading works.'},
      ...{at: '2026-11-30T12:50:00.000Z', seconds: 300, tokens: 9000, microUsd: 1, billed: true},
    },
  ],
  artifacts: [
    {
      ...{id: 'a-33334444', created: '01M', path: 'docs/format.md', kind: 'document', sha256: 'ab', sizeBytes: 10},
      ...{at: '2026-11-30T12:50:00.000Z', by: 'claude@mbp'},
    },
  ],
  agent: 'claude@mbp',
  round: 'r-8w2fz6qk',
  loopx: 'loopx',
  limitTokens: 4000,
};
