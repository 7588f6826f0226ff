import { MemoryError } from '../../database/error.ts';
import type { Memory } from '../memory.ts';
import { shortenText } from '../tokens.ts';
import { proposalSlug, STANDING } from './standing.ts';
import { liveEntry } from './stored.ts';

/** A change to a standing entry that waits for a person. */
export interface Proposal {
  /** The standing entry. */
  readonly slug: string;
  readonly title: string;
  /** The text that `acceptProposal` appends to the entry. */
  readonly body: string;
}

const NOTICE_TOKENS = 300;

/** All proposals that are neither accepted nor rejected. */
export function proposalsIn({ connection }: Memory): Proposal[] {
  return STANDING.flatMap((slug) => {
    const entry = liveEntry(connection, proposalSlug(slug));
    return entry === undefined ? [] : [{ slug, title: entry.title, body: entry.body.trim() }];
  });
}

/** Appends a proposal to its standing entry with `by: 'person'`, and archives the proposal. */
export function acceptProposal(memory: Memory, slug: string): void {
  const { knowledge } = memory;
  const proposal = expectProposal(memory, slug);
  const now = liveEntry(memory.connection, slug);
  const body = [now?.body.trim() ?? '', proposal.body].filter((part) => part !== '').join('\n\n');
  const title = now?.title ?? proposal.title;
  knowledge.write({ slug, title, body, expected: now?.version ?? 0, by: 'person' });
  rejectProposal(memory, slug);
}

/** Archives a proposal with `by: 'person'`. */
export function rejectProposal(memory: Memory, slug: string): void {
  expectProposal(memory, slug);
  const expected = memory.knowledge.read(proposalSlug(slug))?.version ?? 0;
  memory.knowledge.archive({ slug: proposalSlug(slug), expected, by: 'person', withChildren: true });
}

function expectProposal(memory: Memory, slug: string): Proposal {
  const found = proposalsIn(memory).find((one) => one.slug === slug);
  if (found !== undefined) return found;
  throw new MemoryError('not-found', `Nothing is proposed for "${slug}".`);
}

/** Returns a function that gives a notice for each proposal once. */
export function createProposalNotices(memory: Memory): () => string[] {
  let given: ReadonlySet<string> = new Set();
  return () => {
    const found = proposalsIn(memory).map(
      ({ slug, body }) =>
        `Proposed for "${slug}", which stands in every prompt: ${shortenText(body, NOTICE_TOKENS)} (\`nuum memory accept ${slug}\`, or /accept ${slug} in the terminal, takes it up.)`,
    );
    const fresh = found.filter((text) => !given.has(text));
    given = new Set(found);
    return fresh;
  };
}
