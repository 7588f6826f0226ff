/** The mode in which a backend was started; nib uses `serve`, a person the flags. */
export type StartMode = 'serve' | 'help' | 'version' | 'check' | { readonly unknown: string };

/** Parses the command line of a backend; nib passes no arguments. */
export function parseFlags(argv: readonly string[]): StartMode {
  const [flag, more] = argv;
  if (flag === undefined) return 'serve';
  if (more !== undefined) return { unknown: more };
  switch (flag) {
    case '--help':
    case '-h':
      return 'help';
    case '--version':
    case '-V':
      return 'version';
    case '--check':
      return 'check';
    default:
      return { unknown: flag };
  }
}
