/** The parts of a webhook of the Cloud API that this channel reads. Several of each can come in one request. */
export interface Payload {
  readonly messages: readonly MessageEntry[];
  readonly statuses: readonly Status[];
}

/** A message with the person that sent it. */
export interface MessageEntry {
  readonly message: Fields;
  /** Digits of the business phone number. */
  readonly ownNumber: string;
  readonly contact: Fields | undefined;
}

export interface Status {
  readonly state: string;
  /** Id of the message on the platform. */
  readonly platformId: string;
  /** `biz_opaque_callback_data`: the id of a delivery. */
  readonly delivery: string;
  readonly problem: string;
}

export type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** A text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Reads the changes that are about one phone number; undefined where the body is not a webhook of WhatsApp. */
export function readPayload(body: Uint8Array, phone: string): Payload | undefined {
  let root: unknown;
  try {
    root = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
  if (!isFields(root) || root.object !== 'whatsapp_business_account') return undefined;
  const values = listOf(root.entry)
    .flatMap(({ changes }) => listOf(changes))
    .filter(({ field }) => field === 'messages')
    .map(({ value }) => fieldsOf(value))
    .filter(({ metadata }) => fieldsOf(metadata).phone_number_id === phone);
  return {
    messages: values.flatMap(({ messages, contacts, metadata }) => {
      const ownNumber = (textOf(fieldsOf(metadata).display_phone_number) ?? '').replaceAll(/\D/g, '');
      return listOf(messages).map((message) => ({
        message,
        ownNumber,
        contact: contactOf(message, listOf(contacts)),
      }));
    }),
    statuses: values.flatMap(({ statuses }) => listOf(statuses).flatMap(readStatus)),
  };
}

function contactOf({ from, from_user_id: userId }: Fields, contacts: readonly Fields[]): Fields | undefined {
  return contacts.find(
    ({ wa_id, user_id }) =>
      (userId !== undefined && user_id === userId) || (from !== undefined && wa_id === from),
  );
}

function readStatus({ id, status, biz_opaque_callback_data: delivery, errors }: Fields): Status[] {
  const platformId = textOf(id);
  if (typeof status !== 'string' || typeof delivery !== 'string' || platformId === undefined) return [];
  const [error = {}] = listOf(errors);
  const words = [error.title, fieldsOf(error.error_data).details].filter((one) => textOf(one) !== undefined);
  const code = typeof error.code === 'number' ? ` (${error.code})` : '';
  const problem = `WhatsApp did not deliver it${code}: ${words.join(': ') || 'it did not say why'}`;
  return [{ state: status, platformId, delivery, problem }];
}
