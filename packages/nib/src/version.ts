/** One version for every package. */
export const VERSION = '0.1.0';
