import type { Logger } from '../log.ts';

/** What happened last in each channel, for operators. It is kept in memory alone. */
export interface ChannelNews {
  readonly lastMessageAt?: number;
  readonly lastError?: { readonly at: number; readonly message: string };
}

export interface NewsBoard {
  of(channel: string): ChannelNews;
  noteMessage(channel: string): void;
  noteError(channel: string, message: string): void;
}

const LONGEST_ERROR = 500;

export function createNewsBoard(now: () => number): NewsBoard {
  const news = new Map<string, ChannelNews>();
  const of = (channel: string): ChannelNews => news.get(channel) ?? {};
  return {
    of,
    noteMessage: (channel) => void news.set(channel, { ...of(channel), lastMessageAt: now() }),
    noteError(channel, message) {
      const lastError = { at: now(), message: message.slice(0, LONGEST_ERROR).toWellFormed() };
      news.set(channel, { ...of(channel), lastError });
    },
  };
}

/** A logger that also notes warnings and errors about a channel. */
export function withNews(log: Logger, news: NewsBoard): Logger {
  const noting =
    (level: 'warn' | 'error'): Logger['warn'] =>
    (message, fields) => {
      if (typeof fields?.channel === 'string') news.noteError(fields.channel, message);
      log[level](message, fields);
    };
  return { ...log, warn: noting('warn'), error: noting('error') };
}
