import type { FakeReply } from '../fake-server.ts';

/** A refusal in the form of the Graph API. */
export function refuse(status: number, code: number, message: string, details = ''): FakeReply {
  const error = {
    message: `(#${code}) ${message}`,
    type: 'OAuthException',
    code,
    error_data: { messaging_product: 'whatsapp', details },
    fbtrace_id: 'AFakeTraceId',
  };
  return { status, body: { error } };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A message that the platform has accepted. */
export interface Accepted {
  readonly text: string;
  readonly files: readonly string[];
  readonly buttons: readonly { readonly id: string; readonly title: string }[];
  readonly isTemplate: boolean;
}

const wrong = (details: string): FakeReply => refuse(400, 100, 'Invalid parameter', details);

/** Checks a message against the limits of the platform, and reads what people will see. `uploads` are names by media id. */
export function readAccepted(message: Fields, uploads: ReadonlyMap<string, string>): Accepted | FakeReply {
  if (message.messaging_product !== 'whatsapp') return wrong('messaging_product is missing');
  if (textOf(message.biz_opaque_callback_data).length > 512) return wrong('biz_opaque_callback_data');
  const none = { files: [], buttons: [], isTemplate: false };
  const { type } = message;
  if (type === 'text') {
    const body = textOf(fieldsOf(message.text).body);
    if (body === '' || body.length > 4_096) return wrong('text.body must have 1 to 4096 characters');
    return { ...none, text: body };
  }
  if (type === 'interactive') return readInteractive(fieldsOf(message.interactive));
  if (type === 'template') {
    const [component] = (fieldsOf(message.template).components ?? []) as Fields[];
    const [parameter] = (component?.parameters ?? []) as Fields[];
    const text = textOf(parameter?.text);
    if (/[\n\t]| {4}/.test(text)) return refuse(400, 132018, 'Template parameter has a line feed');
    return { ...none, text, isTemplate: true };
  }
  if (typeof type !== 'string') return wrong('type is missing');
  return readMedia(type, fieldsOf(message[type]), uploads);
}

function readMedia(
  type: string,
  { id, link, caption, filename }: Fields,
  uploads: ReadonlyMap<string, string>,
): Accepted | FakeReply {
  if (!['image', 'video', 'audio', 'document', 'sticker'].includes(type)) return wrong(`no type ${type}`);
  const upload = uploads.get(textOf(id));
  if (upload === undefined && typeof link !== 'string') return refuse(400, 131053, 'Media upload error');
  if (textOf(caption).length > 1_024) return wrong('caption is too long');
  if (caption !== undefined && (type === 'audio' || type === 'sticker')) return wrong('no caption here');
  const name = textOf(filename) || upload || textOf(link);
  return { text: textOf(caption), files: [name], buttons: [], isTemplate: false };
}

function readInteractive({ type, body, action }: Fields): Accepted | FakeReply {
  const text = textOf(fieldsOf(body).text);
  if (text === '' || text.length > 1_024)
    return wrong('interactive.body.text must have 1 to 1024 characters');
  const buttons = type === 'button' ? readButtons(fieldsOf(action)) : readRows(fieldsOf(action));
  const [most, longest] = type === 'button' ? [3, 20] : [10, 24];
  if (buttons.length === 0 || buttons.length > most) return wrong(`1 to ${most} choices`);
  if (buttons.some(({ title }) => title === '' || title.length > longest))
    return wrong(`a title has 1 to ${longest} characters`);
  if (new Set(buttons.map(({ title }) => title)).size < buttons.length) return wrong('titles must differ');
  if (buttons.some(({ id }) => id === '' || id.length > 200)) return wrong('an id has 1 to 200 characters');
  return { text, files: [], buttons, isTemplate: false };
}

function readButtons({ buttons }: Fields): Accepted['buttons'] {
  return ((buttons ?? []) as Fields[]).map(({ reply }) => {
    const { id, title } = fieldsOf(reply);
    return { id: textOf(id), title: textOf(title) };
  });
}

function readRows({ button, sections }: Fields): Accepted['buttons'] {
  if (textOf(button) === '' || textOf(button).length > 20) return [];
  return ((sections ?? []) as Fields[])
    .flatMap(({ rows }) => (rows ?? []) as Fields[])
    .map(({ id, title, description }) => ({
      id: textOf(id),
      title: textOf(description).length > 72 ? '' : textOf(title),
    }));
}
