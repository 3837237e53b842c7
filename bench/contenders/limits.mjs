// The largest message that all contenders are told to accept: the largest scenario and its envelope.

export const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
