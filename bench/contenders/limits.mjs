// Limit for a message in all contenders: the largest scenario and its envelope.

export const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
