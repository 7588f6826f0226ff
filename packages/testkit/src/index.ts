/** The client library, for statements beside the store. */
export { default as pg } from 'pg';
export type { ModelRequest } from './model-server/apis.ts';
export type { ModelReply } from './model-server/model-reply.ts';
export {
  type ModelServer,
  type Replies,
  startModelServer,
} from './model-server/model-server.ts';
export { channelFields } from './platforms/channel-config.ts';
export {
  type FakeDiscord,
  type FakeDiscordOptions,
  startFakeDiscord,
} from './platforms/discord/fake-discord.ts';
export { tooMany } from './platforms/discord/messages.ts';
export type { FakeSaying } from './platforms/discord/people.ts';
export type { FakeInteraction, FakeMessage } from './platforms/discord/world.ts';
export type { FakePlatform, ShownMessage, Speaker } from './platforms/fake-platform.ts';
export {
  type FakePlatforms,
  otherPlace,
  type PlatformName,
  startFakePlatforms,
} from './platforms/fake-platforms.ts';
export {
  type FakeCall,
  type FakeReply,
  type FakeServer,
  type FakeServerOptions,
  type FakeTrouble,
  startFakeServer,
} from './platforms/fake-server.ts';
export type { SlackEnvelope } from './platforms/slack/dispatch.ts';
export { hookAt, type SlackHook, type SlackHookRequest, signSlackRequest } from './platforms/slack/hook.ts';
export { type FakeSlack, type FakeSlackOptions, startFakeSlack } from './platforms/slack/slack.ts';
export type { OpenView } from './platforms/slack/web-api.ts';
export {
  type FakeTelegram,
  type FakeTelegramOptions,
  startFakeTelegram,
} from './platforms/telegram/fake-telegram.ts';
export {
  type FakeWhatsapp,
  type FakeWhatsappOptions,
  startFakeWhatsapp,
} from './platforms/whatsapp/fake-whatsapp.ts';
export type { WebhookRequest, WebhookTarget } from './platforms/whatsapp/webhooks.ts';
export type { FakeFile } from './platforms/whatsapp/world.ts';
export { type PostgresServer, startPostgres } from './postgres/start-postgres.ts';
export { killProcessesWith, processesWith, until } from './processes.ts';
export { profileFor } from './profile.ts';
export {
  builtCommand,
  CODER,
  PLUGBOARD,
  plugboardWith,
  SCRIPTED_ACP,
  SCRIPTED_CLAUDE,
  SCRIPTED_CODEX,
  SHOWCASE,
  startedAs,
} from './programs.ts';
export { type FakeS3, startFakeS3 } from './s3/fake-s3.ts';
export { findSwift, type SwiftServer, startSwift } from './s3/swift-server.ts';
export { createRandom, SEED, sample } from './sample.ts';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
export { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts';
export { onTestEnd } from './test-end.ts';
