export type {
  Channel,
  ChannelLimits,
  Inbound,
  IncomingFile,
  Ingress,
  Outgoing,
  Press,
  Pressed,
  Received,
  RefusalCode,
  SendContext,
  SendErrorOptions,
  SendProblem,
  Sent,
} from './channels/channel.ts';
export { FileUnavailableError, SendError } from './channels/channel.ts';
export { createCliChannel } from './channels/cli/cli.ts';
export { createChannels, createPlatformChannel, loadChannelModule } from './channels/create-channels.ts';
export type { ChannelKind, ChannelModule, ChannelSetup, Proof } from './channels/kind.ts';
export { channelKinds } from './channels/kinds.ts';
export { createWebChannel } from './channels/web/web.ts';
export { addChannelTo, hasChannelIn, type NewChannel } from './config/add-channel.ts';
export type {
  AgentConfig,
  ChannelsConfig,
  Config,
  LimitsConfig,
  LogConfig,
  PlatformConfig,
  ServerConfig,
  StoreConfig,
} from './config/config.ts';
export { describeConfig } from './config/describe.ts';
export { type ConfigChanges, diffConfig } from './config/diff.ts';
export { configSchema } from './config/editor.ts';
export { ConfigError } from './config/error.ts';
export type { MediaConfig, S3Config } from './config/media-place.ts';
export { readConfig } from './config/read.ts';
export type { Demo, ReadConfigOptions } from './config/reading.ts';
export { type SampleAgent, type SampleAnswers, writeSampleConfig } from './config/sample.ts';
export { type ConfigWatch, type WatchConfigOptions, watchConfig } from './config/watch.ts';
export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts';
export { type HttpDoor, type HttpOptions, openHttp } from './http/http.ts';
export { hashOf, newSecret } from './http/secrets.ts';
export type { LogFields, Logger } from './log.ts';
export { MediaUnavailableError } from './media/media-error.ts';
export type { ByteRange, ListedFile, MediaFiles } from './media/media-files.ts';
export { createMediaPlace, type MediaPlace } from './media/place.ts';
