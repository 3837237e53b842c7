// Validates structured results against the output schema of a tool that was listed. The schema is compiled for the
// first result. Results that report an error are not validated. The schema comes from the server, so validation is
// aborted if it takes too long.

import { PeerError } from '../../base/errors.ts';
import { compileJsonSchema, type RunBounded } from '../json-schema.ts';
import type { CallToolResult, JsonSchema } from '../types.ts';
import type { Warnings } from './warnings.ts';

export class OutputCheck {
  readonly #warnings: Warnings;
  readonly #runBounded: RunBounded | undefined;
  readonly #schemaOf: (tool: string) => JsonSchema | undefined;
  readonly #unusable = new WeakSet<JsonSchema>();

  constructor(schemaOf: (tool: string) => JsonSchema | undefined, warnings: Warnings, runBounded?: RunBounded) {
    this.#schemaOf = schemaOf;
    this.#warnings = warnings;
    this.#runBounded = runBounded;
  }

  /** Returns a promise only if the result has to be validated. */
  check(name: string, result: CallToolResult): CallToolResult | Promise<CallToolResult> {
    const schema = result.isError === true ? undefined : this.#schemaOf(name);
    return schema && !this.#unusable.has(schema) ? this.#check(name, schema, result) : result;
  }

  async #check(name: string, schema: JsonSchema, result: CallToolResult): Promise<CallToolResult> {
    if (result.structuredContent === undefined) {
      const message = `Tool "${name}" has an outputSchema and answered without structuredContent`;
      this.#warnings.report('structured-content-missing', message, name);
      return result;
    }
    const wrong = await this.#problemOf(name, schema, result.structuredContent);
    if (wrong === undefined) return result;
    throw new PeerError(
      'RESULT_INVALID',
      `The structured result of tool "${name}" violates its outputSchema: ${wrong}`,
      {
        hint: 'Connect with checkOutput: false to accept its results without validation.',
      },
    );
  }

  async #problemOf(name: string, schema: JsonSchema, value: unknown): Promise<string | undefined> {
    try {
      return (await compileJsonSchema(schema, this.#runBounded))(value);
    } catch (error) {
      this.#unusable.add(schema);
      const message = `The outputSchema of tool "${name}" cannot be used, so results are not checked: ${(error as Error).message}`;
      this.#warnings.report('output-schema-unusable', message, name);
      return undefined;
    }
  }
}
