// Values of headers that must not be shown: each as a whole, and without the scheme before it, as in `Bearer …` and `Basic …`.

export function secretsInHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/).slice(1)]);
}
