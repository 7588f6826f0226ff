/** Close codes that end a session: 1000, 1001, not authenticated, invalid sequence. */
const SESSION_OVER = new Set([1_000, 1_001, 4_003, 4_007]);

const REASONS: Readonly<Record<number, string>> = {
  4004: 'Discord refuses the token of the bot. Make a new one in the Developer Portal, under Bot → Reset Token.',
  4010: 'Discord refuses the number of the shard.',
  4011: 'The bot is in so many servers that Discord demands several connections, which are not supported.',
  4012: 'Discord no longer takes version 10 of the gateway.',
  4013: 'Discord does not know the intents of the connection.',
  4014: 'Discord refuses the message-content intent. Switch "Message Content Intent" on in the Developer Portal, under Bot, or set message_content: false.',
};

/** Why a connection that was closed with this code must not be tried again; undefined when it may. */
export function reasonToStop(code: number): string | undefined {
  return REASONS[code];
}

export function isSessionOver(code: number): boolean {
  return SESSION_OVER.has(code) || Object.hasOwn(REASONS, code);
}
