// Header values that must not be shown: each as a whole, and without a scheme such as `Bearer` or `Basic` before it.

export function secretsInHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/).slice(1)]);
}
