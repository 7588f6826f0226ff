import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { acceptProposal, type Proposal, proposalsIn, rejectProposal } from '../memory/knowledge/proposals.ts';
import type { Memory } from '../memory/memory.ts';
import { openMemory } from '../memory/open.ts';
import { exportMemory } from '../memory/people/export.ts';
import { type Forgettable, forget } from '../memory/people/forget.ts';
import { type Options, UsageError } from './args.ts';
import { inspection, proposalText } from './inspect.ts';
import type { Streams } from './once.ts';

/** What `nuum memory` needs of the terminal. */
interface MemoryStreams extends Streams {
  /** Where a person can be asked, if one is there. */
  readonly input?: NodeJS.ReadableStream;
}

/** Runs `nuum memory …` and `nuum --inspect`; gives the exit code. */
export async function memoryCommand(
  [command, ...words]: readonly string[],
  file: string,
  options: Options,
  streams: MemoryStreams,
): Promise<number> {
  if (!existsSync(file)) throw new UsageError(`There is no memory ${file} yet.`);
  switch (command) {
    case 'inspect':
      return reading(file, (memory) => streams.out(inspection(memory, false)));
    case 'show':
      return reading(file, (memory) => streams.out(inspection(memory, true)));
    case 'search':
      return reading(file, (memory) => search(memory, words.join(' '), streams));
    case 'export':
      return reading(file, (memory) => writeOut(memory, options.out, streams));
    case 'forget':
      return forgetting(file, words.join(' '), options, streams);
    case 'accept':
    case 'reject':
      return answerProposal(file, command, words.join(' '), options, streams);
    default:
      throw new UsageError(
        `nuum memory show, search, export, forget, accept or reject; not ${JSON.stringify(command ?? '')}.`,
      );
  }
}

async function reading(file: string, look: (memory: Memory) => void | Promise<void>): Promise<number> {
  const memory = openMemory(file, { now: () => Date.now(), readOnly: true });
  try {
    await look(memory);
    return 0;
  } finally {
    memory.close();
  }
}

const HITS = 20;

async function search(memory: Memory, words: string, { out, err }: Streams): Promise<void> {
  if (words === '') throw new UsageError('nuum memory search WORDS: no words were given.');
  // First: what becomes part of the conversation meanwhile is found twice rather than not at all.
  const queued = memory.search.queued(words, HITS);
  const messages = await memory.search.messages({ query: words, limit: HITS });
  const knowledge = await memory.search.knowledge(words, HITS);
  for (const { slug, title, snippet } of knowledge) out(`${slug}: ${title}\n    ${snippet}\n`);
  for (const { number, at, kind, snippet } of messages) {
    out(`#${number} ${minute(at)} ${kind}\n    ${snippet}\n`);
  }
  for (const { at, snippet } of queued) out(`queued ${minute(at)} user\n    ${snippet}\n`);
  if (messages.length + knowledge.length + queued.length === 0) err('Nothing was found.\n');
}

function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}

async function writeOut(memory: Memory, target: string | undefined, { out }: Streams): Promise<void> {
  if (target !== undefined) {
    return pipeline(Readable.from(exportMemory(memory)), createWriteStream(target, { mode: 0o600 }));
  }
  for (const line of exportMemory(memory)) out(line);
}

async function forgetting(
  file: string,
  what: string,
  options: Options,
  streams: MemoryStreams,
): Promise<number> {
  const target = targetOf(what);
  if (!options.yes && !(await confirmed(`Forget ${what} for good?`, streams))) {
    streams.err('Nothing was forgotten; --yes does it without asking.\n');
    return 1;
  }
  const memory = openMemory(file, { now: () => Date.now() });
  try {
    const { messages, summaries, knowledge, knowledgeToCheck, otherTexts, overwritten } = forget(
      memory,
      target,
    );
    streams.out(
      `Forgotten: ${messages.length} messages, ${knowledge.length} entries of knowledge, ${otherTexts} other texts; ${summaries.length} summaries were written anew.\n`,
    );
    if (knowledgeToCheck.length > 0)
      streams.out(`These may still tell of it: ${knowledgeToCheck.join(', ')}.\n`);
    if (!overwritten)
      streams.err('Another program is reading the file: old pages of it are not overwritten yet.\n');
    return 0;
  } finally {
    memory.close();
  }
}

/** Shows a proposal for an entry of every prompt, and takes it up or lays it aside when the person says so. */
async function answerProposal(
  file: string,
  command: 'accept' | 'reject',
  slug: string,
  options: Options,
  streams: MemoryStreams,
): Promise<number> {
  const memory = openMemory(file, { now: () => Date.now() });
  try {
    const proposals = proposalsIn(memory);
    const proposal = proposals.find((one) => one.slug === slug);
    if (proposal === undefined) throw new UsageError(noProposal(command, slug, proposals));
    streams.out(proposalText(proposal));
    const question = command === 'accept' ? `Let it stand in every prompt?` : `Lay it aside?`;
    if (!options.yes && !(await confirmed(question, streams))) {
      streams.err('Nothing was changed; --yes does it without asking.\n');
      return 1;
    }
    (command === 'accept' ? acceptProposal : rejectProposal)(memory, slug);
    streams.out(command === 'accept' ? `"${slug}" holds it now.\n` : 'It is laid aside.\n');
    return 0;
  } finally {
    memory.close();
  }
}

function noProposal(command: string, slug: string, proposals: readonly Proposal[]): string {
  const there = proposals.map((one) => one.slug).join(', ');
  const hint = there === '' ? 'there are no proposals' : `there are proposals for ${there}`;
  return `nuum memory ${command} SLUG: nothing is proposed for ${JSON.stringify(slug)}; ${hint}.`;
}

/** `123`, `100-120`, `text:…`, or the slug of an entry. */
function targetOf(what: string): Forgettable {
  if (what === '') throw new UsageError('nuum memory forget 123 | 100-120 | text:WORDS | SLUG');
  const [, from, to] = /^#?(\d+)(?:-(\d+))?$/.exec(what) ?? [];
  if (from !== undefined) return { from: Number(from), to: Number(to ?? from) };
  return what.startsWith('text:') ? { text: what.slice('text:'.length) } : { slug: what };
}

/** Silence is not a yes. */
async function confirmed(question: string, { input, err }: MemoryStreams): Promise<boolean> {
  if (input === undefined) return false;
  const lines = createInterface({ input });
  err(`${question} [y/N] `);
  const answer = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  lines.close();
  return /^y(es)?$/i.test(String(answer[0] ?? ''));
}
