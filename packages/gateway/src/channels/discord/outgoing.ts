import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { ButtonStyle, ComponentType, type CreateMessageOptions, MessageFlags } from '@discordjs/core';
import type { Attachment } from '@plugboard/host';
import { type Button, type Outgoing, SendError } from '../channel.ts';
import { FORM_PREFIX } from './custom-id.ts';
import { renderForDiscord } from './markdown.ts';

/** The longest text, in UTF-16 units: never more than Discord counts. */
const LONGEST_TEXT = 2_000;

/** The largest file, and the largest request less 64 KiB for the form. */
const FILE_BYTES = 10 * 1024 * 1024;
const REQUEST_BYTES = 25 * 1024 * 1024 - 64 * 1024;

const LONGEST_LABEL = 80;
const BUTTONS_PER_ROW = 5;

type Row = NonNullable<CreateMessageOptions['components']>[number];

/** A message as `createMessage` and `editMessage` take it. */
interface Composed {
  readonly content: string;
  readonly components: Row[];
  readonly files: { readonly name: string; readonly data: Buffer }[];
  readonly flags: MessageFlags.SuppressEmbeds;
  readonly allowed_mentions: { readonly parse: []; readonly replied_user: false };
}

/** Renders a message. Its source is sent where the rendered text is over `LONGEST_TEXT`. */
export async function composeMessage(body: Outgoing): Promise<Composed> {
  const { files, notes } = await readFiles(body.media);
  const rendered = renderForDiscord(body.text);
  const text = rendered.length > LONGEST_TEXT ? body.text : rendered;
  return composed(body, withNotes(text, notes), files);
}

/** The message with the source as its `content`, for a refused rendered text. */
export function withPlainText(message: Composed, { text }: Outgoing): Composed {
  return { ...message, content: text.slice(0, LONGEST_TEXT).toWellFormed() };
}

function composed({ buttons = [], textKey }: Outgoing, content: string, files: Composed['files']): Composed {
  const form = textKey === undefined ? [] : [{ key: `${FORM_PREFIX}${textKey}`, label: 'Answer' }];
  return {
    ...{ content, files, components: rowsOf([...buttons, ...form]) },
    flags: MessageFlags.SuppressEmbeds,
    // An empty `parse` forbids all notifications: agents may write `@everyone`.
    allowed_mentions: { parse: [], replied_user: false },
  };
}

function withNotes(text: string, notes: readonly string[]): string {
  if (notes.length === 0) return text;
  const all = [text, ...notes].filter((line) => line !== '').join('\n');
  if (all.length <= LONGEST_TEXT) return all;
  const last = notes.join('\n').slice(0, LONGEST_TEXT / 2);
  return `${text.slice(0, LONGEST_TEXT - last.length - 2)}…\n${last}`.toWellFormed();
}

function rowsOf(buttons: readonly Button[]): Row[] {
  const count = Math.ceil(buttons.length / BUTTONS_PER_ROW);
  return Array.from({ length: count }, (_, row) => ({
    type: ComponentType.ActionRow,
    components: buttons
      .slice(row * BUTTONS_PER_ROW, (row + 1) * BUTTONS_PER_ROW)
      .map(({ key, label, style }) => ({
        type: ComponentType.Button,
        style: STYLES[style ?? 'none'],
        label: shorten(label, LONGEST_LABEL) || key,
        custom_id: key,
      })),
  }));
}

const STYLES = {
  allow: ButtonStyle.Success,
  deny: ButtonStyle.Danger,
  none: ButtonStyle.Secondary,
} as const;

export function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}

/** Reads files up to `REQUEST_BYTES`. `notes` name each file that is left out, with the reason. */
async function readFiles(
  media: readonly Attachment[],
): Promise<{ readonly files: Composed['files']; readonly notes: string[] }> {
  const files: Composed['files'] = [];
  const notes: string[] = [];
  let total = 0;
  for (const { name = 'file', path, url } of media) {
    if (path === undefined) {
      notes.push(`📎 ${url ?? name}`);
      continue;
    }
    const { size } = await stat(path).catch(demandFile);
    if (size > FILE_BYTES) notes.push(`[${name} was left out: Discord takes files of up to 10 MiB.]`);
    else if (total + size > REQUEST_BYTES)
      notes.push(`[${name} was left out: Discord takes up to 25 MiB in one message.]`);
    else {
      total += size;
      files.push({ name, data: await readFile(path).catch(demandFile) });
    }
  }
  return { files, notes };
}

function demandFile(error: NodeJS.ErrnoException): never {
  throw new SendError('later', `A file of the message cannot be read: ${error.code ?? error.message}`);
}

/** The nonce of a delivery: 22 characters, where Discord takes 25. */
export function nonceOf(deliveryId: string): string {
  return createHash('sha256').update(deliveryId).digest().subarray(0, 16).toString('base64url');
}
