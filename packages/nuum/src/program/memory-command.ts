import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { acceptProposal, type Proposal, proposalsIn, rejectProposal } from '../memory/knowledge/proposals.ts';
import type { Memory } from '../memory/memory.ts';
import { openMemory } from '../memory/open.ts';
import { exportMemory } from '../memory/privacy/export.ts';
import { type Forgettable, forgetContent } from '../memory/privacy/forget.ts';
import type { Streams } from './answer-once.ts';
import { type Options, UsageError } from './args.ts';
import { inspectMemory, proposalText } from './inspect.ts';

/** The streams of `nuum memory`. */
interface MemoryStreams extends Streams {
  /** stdin, if it is a TTY. */
  readonly input?: NodeJS.ReadableStream;
}

/** Runs `nuum memory …` and `nuum --inspect`. Returns the exit code. */
export async function memoryCommand(
  [command, ...words]: readonly string[],
  file: string,
  options: Options,
  streams: MemoryStreams,
): Promise<number> {
  if (!existsSync(file)) throw new UsageError(`There is no memory ${file} yet.`);
  switch (command) {
    case 'inspect':
      return withMemory(file, (memory) => streams.out(inspectMemory(memory, false)));
    case 'show':
      return withMemory(file, (memory) => streams.out(inspectMemory(memory, true)));
    case 'search':
      return withMemory(file, (memory) => printHits(memory, words.join(' '), streams));
    case 'export':
      return withMemory(file, (memory) => writeOut(memory, options.out, streams));
    case 'forget':
      return runForget(file, words.join(' '), options, streams);
    case 'accept':
    case 'reject':
      return answerProposal(file, command, words.join(' '), options, streams);
    default:
      throw new UsageError(
        `nuum memory show, search, export, forget, accept or reject; not ${JSON.stringify(command ?? '')}.`,
      );
  }
}

async function withMemory(file: string, look: (memory: Memory) => void | Promise<void>): Promise<number> {
  const memory = openMemory(file, { now: () => Date.now(), readOnly: true });
  try {
    await look(memory);
    return 0;
  } finally {
    memory.close();
  }
}

const HITS = 20;

async function printHits(memory: Memory, words: string, { out, err }: Streams): Promise<void> {
  if (words === '') throw new UsageError('nuum memory search WORDS: no words were given.');
  // Queued messages first: one that becomes a message meanwhile is found twice rather than not at all.
  const queued = memory.search.queued(words, HITS);
  const messages = await memory.search.messages({ query: words, limit: HITS });
  const knowledge = await memory.search.knowledge(words, HITS);
  for (const { slug, title, snippet } of knowledge) out(`${slug}: ${title}\n    ${snippet}\n`);
  for (const { number, at, kind, snippet } of messages) {
    out(`#${number} ${timeText(at)} ${kind}\n    ${snippet}\n`);
  }
  for (const { at, snippet } of queued) out(`queued ${timeText(at)} user\n    ${snippet}\n`);
  if (messages.length + knowledge.length + queued.length === 0) err('Nothing was found.\n');
}

function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}

async function writeOut(memory: Memory, target: string | undefined, { out }: Streams): Promise<void> {
  if (target !== undefined) {
    return pipeline(Readable.from(exportMemory(memory)), createWriteStream(target, { mode: 0o600 }));
  }
  for (const line of exportMemory(memory)) out(line);
}

async function runForget(
  file: string,
  what: string,
  options: Options,
  streams: MemoryStreams,
): Promise<number> {
  const target = targetOf(what);
  if (!options.yes && !(await askToConfirm(`Forget ${what} for good?`, streams))) {
    streams.err('Nothing was forgotten; --yes does it without asking.\n');
    return 1;
  }
  const memory = openMemory(file, { now: () => Date.now() });
  try {
    const { messages, summaries, knowledge, knowledgeToCheck, otherTexts, overwritten } = forgetContent(
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

/** Shows a proposal, and accepts or rejects it when the user confirms. */
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
    if (!options.yes && !(await askToConfirm(question, streams))) {
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

/** Parses `123`, `100-120`, `text:…`, or a slug. */
function targetOf(what: string): Forgettable {
  if (what === '') throw new UsageError('nuum memory forget 123 | 100-120 | text:WORDS | SLUG');
  const [, from, to] = /^#?(\d+)(?:-(\d+))?$/.exec(what) ?? [];
  if (from !== undefined) return { from: Number(from), to: Number(to ?? from) };
  return what.startsWith('text:') ? { text: what.slice('text:'.length) } : { slug: what };
}

/** False without a TTY, and for every answer but `y` and `yes`. */
async function askToConfirm(question: string, { input, err }: MemoryStreams): Promise<boolean> {
  if (input === undefined) return false;
  const lines = createInterface({ input });
  err(`${question} [y/N] `);
  const answer = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  lines.close();
  return /^y(es)?$/i.test(String(answer[0] ?? ''));
}
