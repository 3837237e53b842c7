/** The path of a nats-server, or nothing. */
export function findNatsServer(): string | undefined;
export function ensureNatsServer(): void;
