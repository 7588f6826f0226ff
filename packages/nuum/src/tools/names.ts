/**
 * The names of the built-in tools, in the order of `createTools`. A module of its own, so that importing them does not
 * load the tools.
 */
export const TOOL_NAMES = ['read', 'write', 'edit', 'bash', 'glob', 'grep', 'web_fetch', 'skill'] as const;

/** Tool names that all providers accept. */
export const TOOL_NAME: RegExp = /^[A-Za-z0-9_-]{1,64}$/;
