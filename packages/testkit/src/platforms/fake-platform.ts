import type { FakeServer } from './fake-server.ts';

/** A fake chat platform with one bot on it, as tests of any channel use it. */
export interface FakePlatform extends AsyncDisposable {
  readonly server: FakeServer;
  /** Settings of a channel that talks to this platform, as they stand in a configuration; secrets in plain text. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** A private conversation that is there from the start, and the person in it. */
  readonly place: string;
  readonly person: string;
  /** A person writes; returns the platform's id of the message. Another `place` begins a private conversation of its own. */
  say(text: string, from?: Speaker): string;
  /**
   * A person presses the button with this label, of a message that is shown, or that an edit has taken away: people may still
   * have it on the screen.
   */
  press(platformId: string, label: string, from?: Speaker): void;
  /** Messages of the bot in `place`, oldest first, without deleted ones; an edited message has its last text. */
  shown(place?: string): readonly ShownMessage[];
  /** Whether the channel has acknowledged the update with this message. */
  isAcknowledged(messageId: string): boolean;
}

export interface Speaker {
  readonly place?: string;
  readonly person?: string;
}

/** A message of the bot. */
export interface ShownMessage {
  readonly platformId: string;
  /** As people read it: without marks. */
  readonly text: string;
  /** Names of its files. */
  readonly files: readonly string[];
  /** Labels of its buttons. */
  readonly buttons: readonly string[];
}
