import { createRpcWriter } from '../../framing/json-rpc.ts';

/** Methods that the program answers. */
export const AGENT_METHODS = {
  initialize: 'initialize',
  /** A notification. */
  initialized: 'initialized',
  listModels: 'model/list',
  startThread: 'thread/start',
  resumeThread: 'thread/resume',
  forkThread: 'thread/fork',
  listThreads: 'thread/list',
  loadedThreads: 'thread/loaded/list',
  startTurn: 'turn/start',
  steerTurn: 'turn/steer',
  interruptTurn: 'turn/interrupt',
} as const;

/** Requests of the program, which a host answers. */
export const HOST_METHODS = {
  approveCommand: 'item/commandExecution/requestApproval',
  approveChange: 'item/fileChange/requestApproval',
  approvePermissions: 'item/permissions/requestApproval',
  requestInput: 'item/tool/requestUserInput',
  elicit: 'mcpServer/elicitation/request',
} as const;

/** The code that JSON-RPC has for a method that a side does not know. */
export const METHOD_NOT_FOUND = -32601;

/** The wire leaves the field `jsonrpc` out. */
export const rpc = createRpcWriter({});
