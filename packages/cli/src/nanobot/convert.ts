import { convertChannel, fieldOf, isFields } from './convert-channels.ts';

/** The channels of a nanobot configuration as ours. */
export interface Converted {
  readonly channels: readonly {
    readonly name: string;
    readonly fields: Readonly<Record<string, unknown>>;
    readonly secrets: Readonly<Record<string, string>>;
  }[];
  /** What is different from nanobot, for the operator. */
  readonly notes: readonly string[];
}

/** Fields of `channels` that are not about one platform. */
const SHARED = new Set(['sendProgress', 'sendToolHints', 'showReasoning', 'sendMaxRetries']);

/** Converts the channels of a nanobot configuration. `kinds` are the platforms that we have. */
export function convertNanobot(
  source: Readonly<Record<string, unknown>>,
  kinds: ReadonlySet<string>,
): Converted {
  const channels = isFields(source.channels) ? source.channels : {};
  const notes: string[] = [];
  const converted: Converted['channels'][number][] = [];
  for (const [name, fields] of Object.entries(channels)) {
    if (!isFields(fields) || fieldOf(fields, 'enabled') !== true || isShared(name)) continue;
    const channel = kinds.has(name) ? convertChannel(name, fields, channels) : undefined;
    if (channel === undefined) {
      notes.push(noteFor(name));
      continue;
    }
    notes.push(...channel.notes);
    converted.push({ name, fields: channel.fields, secrets: channel.secrets });
  }
  return { channels: converted, notes };
}

function isShared(name: string): boolean {
  return SHARED.has(name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
}

function noteFor(name: string): string {
  if (name === 'whatsapp')
    return 'whatsapp: nanobot uses the protocol of a linked phone, and Plugboard the Cloud API of Meta: nothing can be taken over. plugboard channel add whatsapp sets it up.';
  return `${name}: Plugboard has no such channel. A small program can connect it as a webhook.`;
}
