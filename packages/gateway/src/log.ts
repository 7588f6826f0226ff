/** Fields of a log record. They must not contain secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Log of the gateway, for its operator. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A `Logger` that discards all records. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
