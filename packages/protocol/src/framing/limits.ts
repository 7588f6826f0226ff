/**
 * Bytes that one string given to a process may hold: an argument, or a variable with its name and `=`. Linux has
 * the smallest limit, 128 KiB with the closing NUL, and it holds for each string whatever the total is.
 */
export const STRING_BYTES = 131_071;
