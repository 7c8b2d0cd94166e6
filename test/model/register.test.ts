import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import {headsOf, isContested, type Registers, sawOf, setFields} from '../../lib/model/register.ts';

type Fields = Registers & {readonly title?: string; readonly note?: string};
const fresh: Fields = {created: '01', title: 'first'};
const set = (record: Fields, id: string, title: string | null, saw: readonly string[]) =>
  setFields(record, id, {title}, {title: saw});

test('a field that nobody has set since has the creating event as its only head', t => {
  t.deepEqual(headsOf(fresh, 'title'), [{id: '01', value: 'first'}]);
  t.deepEqual(headsOf(fresh, 'note'), [{id: '01', value: null}]);
  t.deepEqual(sawOf(fresh, ['title', 'note']), {title: ['01'], note: ['01']});
});

test('a setting that saw the heads replaces them', t => {
  const second = set(fresh, '02', 'second', ['01']);
  t.deepEqual(second, {created: '01', title: 'second', heads: {title: '02'}});
  t.deepEqual(headsOf(second, 'title'), [{id: '02', value: 'second'}]);
});

test('two settings that did not see each other both stay, and the last is the value', t => {
  const both = set(set(fresh, '02', 'mine', ['01']), '03', 'theirs', ['01']);
  t.deepEqual(both, {created: '01', title: 'theirs', heads: {title: {'02': 'mine', '03': 'theirs'}}});
  t.true(isContested(both, 'title'));
  const settled = set(both, '04', 'mine', sawOf(both, ['title']).title!);
  t.deepEqual(settled, {created: '01', title: 'mine', heads: {title: '04'}});
  t.false(isContested(settled, 'title'));
});

test('who saw only one of two heads leaves the other', t => {
  const both = set(set(fresh, '02', 'a', ['01']), '03', 'b', ['01']);
  t.deepEqual(headsOf(set(both, '04', 'c', ['02']), 'title'), [
    {id: '03', value: 'b'},
    {id: '04', value: 'c'},
  ]);
});

test('equal settings are no contradiction', t => {
  t.false(isContested(set(set(fresh, '02', 'same', ['01']), '03', 'same', ['01']), 'title'));
  const lists = setFields<Registers>({created: '01'}, '02', {policy: {a: 1, b: [2]}}, {policy: ['01']});
  t.false(isContested(setFields(lists, '03', {policy: {b: [2], a: 1}}, {policy: ['01']}), 'policy'));
});

test('a field that was taken away is away, and its heads still know it', t => {
  const gone = set(fresh, '02', null, ['01']);
  t.false('title' in gone);
  t.deepEqual(headsOf(gone, 'title'), [{id: '02', value: null}]);
  t.true(isContested(set(set(fresh, '02', null, ['01']), '03', 'b', ['01']), 'title'), 'taken away and set differ');
});

test('fields do not touch each other', t => {
  const next = setFields(set(fresh, '02', 'second', ['01']), '03', {note: 'n'}, {note: ['01']});
  t.deepEqual(next, {created: '01', title: 'second', note: 'n', heads: {title: '02', note: '03'}});
});

// The heads of a field are, by definition, the settings that no other one saw.
test('in any history the heads are what nobody has seen when setting the field', t => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(20), {maxLength: 4}), {minLength: 1, maxLength: 12}), history => {
      const name = (index: number) => `e${String(index).padStart(2, '0')}`;
      const settings = history.map((saw, index) => ({id: name(index + 1), saw: saw.map(n => name(n % (index + 1)))}));
      const record = settings.reduce((so, {id, saw}) => set(so, id, id, saw), {created: 'e00'} as Fields);
      const seen = new Set(settings.flatMap(({saw}) => saw));
      const expected = ['e00', ...settings.map(({id}) => id)].filter(id => !seen.has(id));
      assert.deepEqual(
        headsOf(record, 'title').map(({id}) => id),
        expected,
      );
      assert.equal(record.title, settings.at(-1)!.id);
    }),
  );
  t.pass();
});
