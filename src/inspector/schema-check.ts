export async function schemaViolations(_json: unknown, _exchanges: readonly unknown[]): Promise<string[]> {
  return [];
}
