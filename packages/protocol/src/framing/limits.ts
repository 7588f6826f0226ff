/**
 * Limit of one string passed to a process: an argument, or a variable with its name and `=`. Linux has the smallest
 * limit, 128 KiB including the closing NUL, and applies it to each string independently of the total.
 */
export const STRING_BYTES = 131_071;
