import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import {blobId, openTree, treeId} from '../../lib/git/hash.ts';
import {tempRepo} from '../support/repo.ts';

// Names that sort in surprising ways: a folder sorts as if its name ended in a slash, and bytes are not UTF-16.
const name = fc.constantFrom('a', 'a.yaml', 'a-b', 'a0', 'ab', 'B', 'é', '世界', '\u{1f600}', '\uffee');
const path = fc.array(name, {minLength: 1, maxLength: 3}).map(names => `${names.join('/')}.x`);

test('a tree that is changed step by step has the id of the tree that is made at once', t => {
  const step = fc.record({path, text: fc.option(fc.string(), {nil: undefined}), asks: fc.boolean()});
  fc.assert(
    fc.property(fc.array(step, {maxLength: 30}), steps => {
      const tree = openTree('sha1');
      const files = new Map<string, string>();
      for (const {path: file, text, asks} of steps) {
        const blob = text === undefined ? undefined : blobId('sha1', text);
        tree.set(file, blob);
        if (blob === undefined) files.delete(file);
        else files.set(file, blob);
        if (asks) assert.equal(tree.id(), treeId('sha1', files));
      }

      assert.equal(tree.id(), treeId('sha1', files));
    }),
  );
  t.pass();
});

for (const hash of ['sha1', 'sha256'] as const) {
  test(`trees and blobs get the ids that git gives them with ${hash}`, async t => {
    const repo = await tempRepo(t, {commit: false, init: [`--object-format=${hash}`]});
    const texts = {'a.yaml': 'a', 'a/b': 'inner', 'a-b': '-', a0: '0', 'é/世界': 'ü', '\u{1f600}': '', '\uffee': 'x'};
    for (const [file, text] of Object.entries(texts)) await repo.write(file, text);
    await repo.git.text(['add', '-A']);
    const blobs = Object.entries(texts).map(([file, text]) => [file, blobId(hash, text)] as const);
    t.is(treeId(hash, new Map(blobs)), await repo.git.text(['write-tree']));
    t.is(treeId(hash, new Map()), await repo.git.text(['mktree'], {input: ''}));
  });
}
