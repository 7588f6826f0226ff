export type {
  AgentConfig,
  ChannelsConfig,
  Config,
  LimitsConfig,
  LogConfig,
  ServerConfig,
  ShownField,
  StoreConfig,
} from './config.ts';
export { describeConfig } from './describe.ts';
export { type ConfigChanges, diffConfig, keepUnchanged } from './diff.ts';
export { configSchema } from './editor.ts';
export { ConfigError } from './error.ts';
export { readConfig } from './read.ts';
export type { ReadConfigOptions } from './reading.ts';
export type { ReloadListener, ReloadOutcome } from './reload.ts';
export { type SampleAgent, type SampleAnswers, writeSampleConfig } from './sample.ts';
export { Secret, secret } from './secret.ts';
export { type ConfigWatch, type WatchConfigOptions, watchConfig } from './watch.ts';
