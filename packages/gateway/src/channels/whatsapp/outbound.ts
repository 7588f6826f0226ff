import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Attachment } from '@plugboard/host';
import { type Button, type Outgoing, SendError } from '../channel.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { whatsappFormat } from './format.ts';
import type { Graph } from './graph.ts';
import { groupOf } from './inbound.ts';

/** Lengths of the platform, in characters. */
export const TEXT_LENGTH = 4_096;
export const CAPTION_LENGTH = 1_024;
const BUTTON_TEXT_LENGTH = 1_024;
const BUTTON_LABEL = 20;
const ROW_LABEL = 24;
const ROW_DESCRIPTION = 72;
/** More choices than this are rows of a list. */
const MOST_BUTTONS = 3;
export const MOST_ROWS = 10;

const MEBIBYTE = 1024 * 1024;

/** Message type and MIME type by extension, and the largest file of each type; other files are documents. */
const KINDS: readonly {
  readonly kind: 'image' | 'video' | 'audio' | 'sticker';
  readonly most: number;
  readonly types: Readonly<Record<string, string>>;
}[] = [
  {
    kind: 'image',
    most: 5 * MEBIBYTE,
    types: { '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.png': 'image/png' },
  },
  { kind: 'video', most: 16 * MEBIBYTE, types: { '.mp4': 'video/mp4', '.3gp': 'video/3gpp' } },
  {
    kind: 'audio',
    most: 16 * MEBIBYTE,
    types: {
      '.aac': 'audio/aac',
      '.amr': 'audio/amr',
      '.mp3': 'audio/mpeg',
      '.m4a': 'audio/mp4',
      '.ogg': 'audio/ogg',
      '.opus': 'audio/ogg',
    },
  },
];

const MOST_DOCUMENT = 100 * MEBIBYTE;

/** Addresses a message: a number by `to`, a business-scoped user id by `recipient`. */
export function addressOf(place: string): object {
  const group = groupOf(place);
  if (group !== undefined) return { recipient_type: 'group', to: group };
  const isNumber = /^\d+$/.test(place);
  return { recipient_type: 'individual', ...(isNumber ? { to: place } : { recipient: place }) };
}

/** The content of one message. Its file is uploaded first. Rejects with a `SendError`. */
export async function contentOf(
  graph: Graph,
  place: string,
  body: Outgoing,
  signal: AbortSignal,
): Promise<object> {
  const { text, media, buttons = [] } = body;
  const [file] = media;
  if (file !== undefined) return mediaContent(graph, file, text, signal);
  const rendered = formatText(text, TEXT_LENGTH);
  if (buttons.length === 0) return textContent(rendered);
  // Groups have no buttons, and a question with buttons is shorter than a text.
  const isTooLong = rendered.length > BUTTON_TEXT_LENGTH;
  if (groupOf(place) !== undefined || isTooLong)
    return textContent(`${text}\n\n${listChoices(buttons)}`.slice(0, TEXT_LENGTH).toWellFormed());
  return { type: 'interactive', interactive: interactiveOf(rendered, buttons) };
}

/** In the marks of WhatsApp, or as it is written where the marks make it too long. */
function formatText(text: string, most: number): string {
  const rendered = renderMarkdown(text, whatsappFormat);
  return rendered.length > most || rendered.trim() === '' ? text : rendered;
}

function textContent(text: string): object {
  return { type: 'text', text: { body: text, preview_url: false } };
}

function listChoices(buttons: readonly Button[]): string {
  const lines = buttons.map(({ label }, index) => `${index + 1}. ${label}`);
  return [...lines, 'Answer with the number.'].join('\n');
}

function interactiveOf(text: string, buttons: readonly Button[]): object {
  const body = { text };
  if (buttons.length <= MOST_BUTTONS) {
    const titles = uniqueTitles(buttons, BUTTON_LABEL);
    const replies = buttons.map(({ key }, index) => ({
      type: 'reply',
      reply: { id: key, title: titles[index] },
    }));
    return { type: 'button', body, action: { buttons: replies } };
  }
  const titles = uniqueTitles(buttons, ROW_LABEL);
  const rows = buttons.map(({ key, label }, index) => ({
    id: key,
    title: titles[index],
    ...(label === titles[index] ? {} : { description: label.slice(0, ROW_DESCRIPTION).toWellFormed() }),
  }));
  return { type: 'list', body, action: { button: 'Choose', sections: [{ rows }] } };
}

/** Labels cut to a length. The platform refuses two that are the same: from the second on they end in a number. */
function uniqueTitles(buttons: readonly Button[], most: number): string[] {
  const used = new Set<string>();
  return buttons.map(({ label }, index) => {
    const cut = cutTo(label, most);
    const title = used.has(cut) ? `${cutTo(label, most - 4)} ${index + 1}` : cut;
    used.add(title);
    return title;
  });
}

function cutTo(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim() || '?';
  return line.length <= most
    ? line
    : `${line
        .slice(0, most - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

async function mediaContent(
  graph: Graph,
  { path, url, name }: Attachment,
  text: string,
  signal: AbortSignal,
): Promise<object> {
  const caption = text === '' ? {} : { caption: formatText(text, CAPTION_LENGTH) };
  const filename = name ?? basename(path ?? url ?? 'file');
  if (path === undefined) return { type: 'document', document: { link: url, filename, ...caption } };
  const { kind, type } = await kindOf(path, filename, text !== '');
  const id = await uploadOnce(graph, path, filename, type, signal);
  if (kind === 'document') return { type: kind, document: { id, filename, ...caption } };
  return { type: kind, [kind]: { id, ...(kind === 'audio' ? {} : caption) } };
}

/** Audio has no caption on this platform: with a text, it is sent as a document. */
async function kindOf(
  path: string,
  name: string,
  hasText: boolean,
): Promise<{ readonly kind: string; readonly type: string }> {
  const { size } = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new SendError('never', `The file ${name} cannot be read: ${error.code ?? 'it is gone'}.`);
  });
  if (size > MOST_DOCUMENT) throw new SendError('never', `WhatsApp takes no file over 100 MiB: ${name}.`);
  const extension = extname(name).toLowerCase();
  for (const { kind, most, types } of KINDS) {
    const type = types[extension];
    if (type === undefined || size > most || (kind === 'audio' && hasText)) continue;
    return { kind, type };
  }
  const type = KINDS.map(({ types }) => types[extension]).find((one) => one !== undefined);
  return { kind: 'document', type: type ?? 'application/octet-stream' };
}

/** Nothing was shown when an upload fails, however it failed. */
async function uploadOnce(
  graph: Graph,
  path: string,
  name: string,
  type: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    return await graph.upload(path, name, type, signal);
  } catch (error) {
    if (!(error instanceof SendError) || error.problem !== 'unknown') throw error;
    throw new SendError('later', error.message);
  }
}
