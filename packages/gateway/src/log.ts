/** What a record is about, beside its sentence. Values that could be secret do not belong here. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where the gateway tells its operator what happens. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** For those who do not want to hear anything. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
