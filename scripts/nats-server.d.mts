/** Path of nats-server, or undefined. */
export function findNatsServer(): string | undefined;
export function ensureNatsServer(): void;
