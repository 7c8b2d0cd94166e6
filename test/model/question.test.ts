import test from 'ava';
import {blocksWork, checkQuestion} from '../../lib/model/gate.ts';

const vague = `
Waiting for user confirmation
waiting for user
Waiting.
Please wait
Need input
Needs approval
Needs human review
Awaiting your feedback
Pending approval
requires further instructions
Need your go-ahead
Please confirm
please confirm this
Please review the changes
Approve?
Please approve
Kindly advise
Continue?
Should I continue?
Shall we proceed?
Can I go ahead now?
May I start?
Proceed?
ok?
OK to proceed?
Is this ok?
Is this correct?
Ready to proceed now?
What should I do?
What should I do next?
What's next?
How should I proceed?
How do we continue?
Next steps?
Any thoughts?
Any questions?
Blocked
Stuck!
Question
Confirmation needed
Approval required
Human input required
User confirmation required
Help needed
TBD
n/a
?
...
test
等待用户确认
等待确认
请确认
请您确认
请确认一下
需要用户批准
需要人工审核
需要您的反馈
等待进一步指示
继续吗？
是否继续？
可以继续吗？
请问是否继续
请问我们下一步做什么？
我该怎么办？
能否开始执行？
下一步怎么办？
怎么办
请批准
待审批
确认
確認待ち
確認をお願いします
承認してください
`;
for (const question of vague.trim().split('\n')) {
  test(`vague: ${question}`, t => t.throws(() => checkQuestion(question, [], undefined), {code: 'gate-vague'}));
}

const concrete = `
Drop support for Node 18 in the public API?
Which database should the ledger use, SQLite or Postgres?
May I delete the 14 unused migration files in db/old?
Please confirm that the table "orders" may be dropped in production.
Should I continue with the rename although 3 of 57 tests fail?
Waiting for approval of release 2.1: publish it to npm today?
Is it ok to raise the minimum Python version to 3.10?
What should happen to customers without an e-mail address?
Keep or drop the v1 endpoint?
Push to origin/main now or wait for CI?
Use tabs or spaces?
Who may see the audit log?
是否放弃对 Node 18 的支持？
数据库用 SQLite 还是 Postgres？
可以删除 db/old 里的旧迁移文件吗？
继续重命名，还是先修复失败的测试？
请确认是否可以删除生产环境的 orders 表
保留还是删除旧接口？
是否继续使用旧版接口？
下一步是先写测试还是先重构？
能否开始删除旧数据？
古い API を削除してよいですか？
Node 18 のサポートを終了しますか？
`;
for (const question of concrete.trim().split('\n')) {
  test(`concrete: ${question}`, t => t.notThrows(() => checkQuestion(question, [], undefined)));
}

test('options leave something to choose', t => {
  const ask = (options: string[], recommend?: string) => () =>
    checkQuestion('Drop support for Node 18?', options, recommend);
  t.notThrows(ask([]));
  t.notThrows(ask(['drop it', 'keep it'], 'drop it'));
  t.notThrows(ask([], 'a free recommendation'));
  for (const options of [['only one'], ['same', 'same'], ['same', ' same '], ['one', '']]) {
    t.throws(ask(options), {code: 'gate-vague'}, options.join('|'));
  }

  t.throws(ask(['drop it', 'keep it'], 'neither'), {code: 'gate-vague', message: /none of the options/});
});

test('the refusal quotes the question and shows a good one', t => {
  const error = t.throws(() => checkQuestion(' Please confirm. ', [], undefined)) as Error & {hint?: string};
  t.is(error.message, '"Please confirm." does not say what is to be decided.');
  t.regex(error.hint ?? '', /loopx gate ask "/);
});

test('a gate blocks what it names and nothing else', t => {
  const work = {todo: 't-1', agent: 'claude@mbp'};
  t.true(blocksWork(['goal'], work));
  t.true(blocksWork(['todo:t-2', 'todo:t-1'], work));
  t.true(blocksWork(['agent:claude@mbp'], work));
  t.false(blocksWork(['todo:t-2', 'agent:codex@mbp', 'action:push'], work));
  t.false(blocksWork(['todo:t-1'], {agent: 'claude@mbp'}));
  t.false(blocksWork([], work));
});
