import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attachment } from '@plugboard/host';
import type { Delivery } from '@plugboard/store';
import type { Outgoing } from '../channels/channel.ts';
import { bodyOf } from './body.ts';

/** An `Outgoing` whose media have paths. Disposing it removes the file of `Body.textFile`. */
export interface PreparedOutgoing extends AsyncDisposable {
  readonly body: Outgoing;
}

/** Name of a `Body.textFile`: answers are Markdown. */
const TEXT_FILE = 'answer.md';

/** Resolves the files of a delivery, and writes its `textFile` into a temporary directory for one call of the channel. */
export async function prepareOutgoing(
  delivery: Delivery,
  files: (media: readonly Attachment[]) => Promise<readonly Attachment[]>,
): Promise<PreparedOutgoing> {
  const { edits: _edits, ask: _ask, ended: _ended, textFile, ...body } = bodyOf(delivery);
  const media = await files(body.media);
  if (textFile === undefined) return { body: { ...body, media }, async [Symbol.asyncDispose]() {} };
  const directory = await mkdtemp(join(tmpdir(), 'plugboard-answer-'));
  const file: Attachment = { kind: 'file', path: join(directory, TEXT_FILE), name: TEXT_FILE };
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    await writeFile(join(directory, TEXT_FILE), textFile.toWellFormed(), { mode: 0o600 });
  } catch (error) {
    await remove();
    throw error;
  }
  return { body: { ...body, media: [...media, file] }, [Symbol.asyncDispose]: remove };
}
