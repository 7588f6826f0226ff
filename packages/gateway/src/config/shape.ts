import { join, resolve } from 'node:path';
import { agentNames } from './agents.ts';
import type { AgentConfig, Config, PlatformConfig } from './config.ts';
import { shapeMedia } from './media-place.ts';
import { absolutePath, type Reading } from './reading.ts';
import type { ConfigFields } from './schema.ts';
import { shapeStoreUrl } from './store-url.ts';

/** Converts the file to `Config`: camelCase, milliseconds, absolute paths. */
export function shapeConfig(
  reading: Reading,
  fields: ConfigFields,
  agents: ReadonlyMap<string, AgentConfig>,
  platforms: ReadonlyMap<string, PlatformConfig>,
): Omit<Config, 'file' | 'shown'> {
  const { channels, limits, spawn, log } = fields;
  return {
    files: [...reading.files],
    ...(fields.env.length === 0 ? {} : { env: fields.env }),
    agents,
    ...(agentNames(reading).length === 0 ? { demos: true as const } : {}),
    defaultAgent: fields.default_agent ?? agents.keys().next().value ?? '',
    server: shapeServer(fields.server),
    store: {
      ...shapeStoreUrl(fields.store, reading.options.environment),
      file: storeFile(reading, fields),
      synchronous: fields.store.synchronous,
    },
    ...shapeMedia(reading, fields.media),
    channels: { web: channels.web, cli: channels.cli, platforms },
    limits: {
      agents: limits.agents,
      resident: limits.resident,
      waiting: limits.waiting,
      waitingPerPrincipal: limits.waiting_per_principal,
      waitingPerSession: limits.waiting_per_session,
      turnMs: limits.turn_secs * 1000,
      graceMs: limits.grace_secs * 1000,
      recordings: limits.recordings,
      recordingBytes: limits.recording_bytes,
      retentionDays: limits.retention_days,
    },
    spawn,
    log,
  };
}

/** Absolute path of the store file. */
function storeFile(reading: Reading, { store }: ConfigFields): string {
  if (store.file !== undefined) return absolutePath(reading, store.file);
  return join(resolve(reading.options.dataDirectory), 'plugboard.db');
}

function shapeServer(server: ConfigFields['server']): Config['server'] {
  return {
    host: server.host,
    port: server.port,
    exposed: server.exposed,
    names: server.names,
    proxies: server.proxies,
    bodyBytes: server.body_bytes,
    mediaBytes: server.media_bytes,
    requestsPerMinute: server.requests_per_minute,
    openaiStrict: server.openai_strict,
    ...(server.public_url === undefined ? {} : { publicUrl: server.public_url.replace(/\/+$/, '') }),
  };
}
