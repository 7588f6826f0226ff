/** The names of the built-in tools in the order they are offered; loads nothing, so that a program can say them at once. */
export const TOOL_NAMES = ['read', 'write', 'edit', 'bash', 'glob', 'grep', 'web_fetch', 'skill'] as const;

/** What models take as the name of a tool. */
export const TOOL_NAME: RegExp = /^[A-Za-z0-9_-]{1,64}$/;
