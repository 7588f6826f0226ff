/** A chat, and a topic of it. */
export interface Target {
  readonly chat: number;
  readonly thread?: number;
}

/** Reads a place: `CHAT`, or `CHAT/TOPIC`. */
export function targetOf(place: string): Target {
  const [chat = '', thread] = place.split('/');
  return { chat: Number(chat), ...(thread === undefined ? {} : { thread: Number(thread) }) };
}

export function placeOf({ chat, thread }: Target): string {
  return thread === undefined ? String(chat) : `${chat}/${thread}`;
}

/** Ids of groups are negative. */
export function isGroup(place: string): boolean {
  return place.startsWith('-');
}

/** `CHAT#ID`: ids of messages are unique in their chat alone, and a group that becomes a supergroup counts anew. */
export function messageName(chat: number, id: number): string {
  return `${chat}#${id}`;
}

export function readMessageName(name: string): { readonly chat: number; readonly id: number } {
  const [chat, id] = name.split('#');
  return { chat: Number(chat), id: Number(id) };
}

/** Groups that have become supergroups since `start`. */
export interface Migrations {
  note(from: number, to: number): void;
  /** The present id of a chat. */
  current(chat: number): number;
}

export function createMigrations(): Migrations {
  const moved = new Map<number, number>();
  return {
    note: (from, to) => void moved.set(from, to),
    current: (chat) => moved.get(chat) ?? chat,
  };
}
