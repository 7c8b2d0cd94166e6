// What git's post-rewrite hook has told: which commits an amendment or a rebase made of which. A commit may be rewritten
// again and again, and several into one.

/** Returns, for each commit that came of one of the originals, those that it came of. */
export function rewrittenFrom(
  originals: Iterable<string>,
  pairs: readonly {readonly from: string; readonly to: string}[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const next = new Map<string, Set<string>>();
  for (const {from, to} of pairs) next.set(from, (next.get(from) ?? new Set()).add(to));
  const origins = new Map<string, Set<string>>();
  for (const original of originals) {
    const seen = new Set([original]);
    for (const commit of seen) for (const to of next.get(commit) ?? []) seen.add(to);
    seen.delete(original);
    for (const commit of seen) origins.set(commit, (origins.get(commit) ?? new Set()).add(original));
  }

  return origins;
}
