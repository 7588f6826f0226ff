import { createRpcWriter } from '../../framing/json-rpc.ts';

/** The version that both sides of this dialect speak. Version 2 is another protocol. */
export const PROTOCOL_VERSION = 1;

/** Methods that an agent answers. */
export const AGENT_METHODS = {
  initialize: 'initialize',
  authenticate: 'authenticate',
  newSession: 'session/new',
  loadSession: 'session/load',
  resumeSession: 'session/resume',
  listSessions: 'session/list',
  closeSession: 'session/close',
  setMode: 'session/set_mode',
  /** Not in the protocol; agents that offer `models` take it. */
  setModel: 'session/set_model',
  setConfigOption: 'session/set_config_option',
  prompt: 'session/prompt',
  /** A notification. */
  cancel: 'session/cancel',
  /** Not in the protocol: gives a running turn more input. */
  steer: '_session/steering',
} as const;

/** Methods that a host answers. */
export const HOST_METHODS = {
  requestPermission: 'session/request_permission',
  /** A notification. */
  update: 'session/update',
  createElicitation: 'elicitation/create',
  /** A notification. */
  completeElicitation: 'elicitation/complete',
} as const;

/** A notification of either side: the request `requestId` is not waited for any more. */
export const CANCEL_REQUEST = '$/cancel_request';

/** Codes of error answers. */
export const ERROR_CODES = {
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  authRequired: -32000,
  notFound: -32002,
} as const;

/** Writes the lines of either side. */
export const rpc = createRpcWriter({ jsonrpc: '2.0' });
