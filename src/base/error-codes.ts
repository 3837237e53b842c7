// All stable error codes of Standpipe. docs/errors.md explains each one; a test compares the two lists.

/** The other end answered with a JSON-RPC error. */
export const rpcErrorCodes = [
  'PARSE_ERROR',
  'INVALID_REQUEST',
  'METHOD_NOT_FOUND',
  'INVALID_PARAMS',
  'INTERNAL_ERROR',
  'SERVER_BUSY',
  'RPC_ERROR',
] as const;

/** The other end violated the protocol, did not answer, or closed the connection. */
export const peerErrorCodes = [
  'FRAME_TOO_LONG',
  'FRAME_TRUNCATED',
  'FRAME_LENGTH_INVALID',
  'TOO_MANY_VALUES',
  'MESSAGE_INVALID',
  'REQUEST_TIMEOUT',
  'NOT_SENT',
  'OUTCOME_UNKNOWN',
  'CONNECTION_CLOSED',
  'SEND_QUEUE_FULL',
  'STREAM_FAILED',
  'NEGOTIATION_FAILED',
  'RESULT_INVALID',
  'CAPABILITY_NOT_DECLARED',
  'INPUT_ROUNDS_EXCEEDED',
  'TASK_CANCELLED',
  'LIST_TOO_LONG',
  'SERVER_UNREACHABLE',
  'AUTHORIZATION_FAILED',
  'LOGIN_FAILED',
  'RULE_VIOLATED',
  'RULE_UNTESTED',
  'FLEET_UNREACHABLE',
  'FLEET_REFUSED',
] as const;

/** The child process could not be started, exited, or could not be stopped. */
export const processErrorCodes = [
  'COMMAND_NOT_FOUND',
  'COMMAND_NOT_EXECUTABLE',
  'CWD_NOT_FOUND',
  'SPAWN_FAILED',
  'PROCESS_EXITED',
  'PROCESS_UNRESPONSIVE',
  'WATCHDOG_FAILED',
  'SERVER_FAILED',
  'SERVER_NOT_READY',
] as const;

/** The caller made a request that cannot be fulfilled. */
export const usageErrorCodes = [
  'INVALID_OPTION',
  'ALREADY_STARTED',
  'NOT_STARTED',
  'TRANSPORT_CLOSED',
  'PAYLOAD_TOO_LONG',
  'PAYLOAD_HAS_DELIMITER',
  'MESSAGE_NOT_SERIALIZABLE',
  'DUPLICATE_NAME',
  'FILE_NOT_PRIVATE',
  'FILE_NOT_WRITABLE',
  'TOKENS_FILE_INVALID',
  'LOGIN_REQUIRED',
  'LOGINS_FILE_INVALID',
  'INSECURE_ADDRESS',
  'RUNTIME_FOLDER_UNUSABLE',
  'INPUT_NOT_GIVEN',
  'CONFIG_NOT_FOUND',
  'CONFIG_INVALID',
  'VARIABLE_NOT_SET',
  'SERVER_DISABLED',
  'SERVER_STOPPED',
  'NAME_AMBIGUOUS',
  'NAME_UNKNOWN',
  'TOOL_NOT_ALLOWED',
  'DEFINITION_NOT_APPROVED',
  'LOCK_INVALID',
  'HOST_ALREADY_RUNNING',
  'HOST_VERSION',
  'NATS_NOT_INSTALLED',
  'NODE_NAME_TAKEN',
  'FLEET_CHANGED',
  'NOT_SUPPORTED',
  'RECORDING_UNUSABLE',
] as const;

export type RpcErrorCode = (typeof rpcErrorCodes)[number];
export type PeerErrorCode = (typeof peerErrorCodes)[number];
export type ProcessErrorCode = (typeof processErrorCodes)[number];
export type UsageErrorCode = (typeof usageErrorCodes)[number];
export type ErrorCode = RpcErrorCode | PeerErrorCode | ProcessErrorCode | UsageErrorCode;
