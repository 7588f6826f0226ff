/** The version of all packages; a release changes them together. */
export const VERSION = '0.1.0';
