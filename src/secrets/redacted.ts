// What stands in place of a secret that has no name.

export const REDACTED = '[redacted]';
