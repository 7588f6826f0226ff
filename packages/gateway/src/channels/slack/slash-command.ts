import type { ChannelGiven } from '../kind.ts';
import type { Said } from './inbound.ts';
import type { Acknowledgement } from './interactions.ts';
import { type Json, textAt } from './json.ts';
import { COMMAND } from './manifest.ts';
import { isPrivate } from './place.ts';

/** A message to take, or an answer for the person alone. */
export type Typed = { readonly said: Said } | { readonly answer: Acknowledgement };

/** Commands that the gateway knows beside those of `ChannelGiven.commands`. */
const MORE = ['pair'];

export interface CommandOptions {
  readonly commands: ChannelGiven<unknown>['commands'];
  readonly startsThreads: boolean;
}

/** Reads a slash command: its first word is a command of the gateway. */
export function readSlashCommand(payload: Json, { commands, startsThreads }: CommandOptions): Typed {
  const [channel, user, trigger] = ['channel_id', 'user_id', 'trigger_id'].map((name) =>
    textAt(payload, name),
  );
  if (channel === undefined || user === undefined || trigger === undefined) return { answer: undefined };
  const [word = '', ...rest] = (textAt(payload, 'text') ?? 'help').trim().replace(/^\//, '').split(/\s+/);
  const name = word.toLowerCase();
  const names = [...commands.map((one) => one.name), ...MORE];
  if (!names.includes(name))
    return { answer: tellPrivately(`There is no command "${word}". There are: ${names.join(', ')}.`) };
  const isGroup = !isPrivate(channel);
  // Slack has no slash commands in threads, and with `startsThreads` the channel itself has no session.
  if (isGroup && startsThreads) return { answer: tellPrivately(inThread(name, rest)) };
  const group = isGroup ? { group: { place: channel, addressed: true } } : {};
  const message = { place: channel, ...group, messageId: `command-${trigger}`, sender: user };
  return { said: { message: { ...message, text: [`/${name}`, ...rest].join(' ') }, files: [] } };
}

function inThread(name: string, rest: readonly string[]): string {
  const typed = [`/${name}`, ...rest].join(' ');
  return `In a channel each thread is a conversation. Mention me in the thread, with ${typed} behind it; ${COMMAND} works in a direct message to me.`;
}

function tellPrivately(text: string): Acknowledgement {
  return { response_type: 'ephemeral', text };
}
