export type {
  Channel,
  ChannelLimits,
  Inbound,
  IncomingFile,
  Ingress,
  Outgoing,
  Received,
  RefusalCode,
  SendContext,
  SendErrorOptions,
  SendProblem,
  Sent,
} from './channels/channel.ts';
export { SendError } from './channels/channel.ts';
export { createCliChannel } from './channels/cli/cli.ts';
export { createWebChannel } from './channels/web/web.ts';
export type { Config, ConfigChanges, ConfigWatch } from './config/index.ts';
export {
  ConfigError,
  configSchema,
  describeConfig,
  readConfig,
  watchConfig,
  writeSampleConfig,
} from './config/index.ts';
export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts';
export { type HttpDoor, type HttpOptions, openHttp } from './http/http.ts';
export { hashOf, newSecret } from './http/secrets.ts';
export type { LogFields, Logger } from './log.ts';
