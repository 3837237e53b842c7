// Validates structured results against the output schema of a tool that was listed. The schema is compiled for the
// first result. Results that report an error are not validated. The schema comes from the server, so validation is
// aborted if it takes too long.

import { PeerError } from '../../base/errors.ts';
import { compileJsonSchema, type RunBounded } from '../json-schema.ts';
import type { CallToolResult, JsonSchema, Tool } from '../types.ts';
import type { Warnings } from './warnings.ts';

export class OutputCheck {
  readonly #warnings: Warnings;
  readonly #runBounded: RunBounded | undefined;
  #schemas = new Map<string, JsonSchema>();

  constructor(warnings: Warnings, runBounded?: RunBounded) {
    this.#warnings = warnings;
    this.#runBounded = runBounded;
  }

  learn(tools: readonly Tool[]): void {
    this.#schemas = new Map(tools.flatMap(({ name, outputSchema }) => (outputSchema ? [[name, outputSchema]] : [])));
  }

  /** Whether the result has to be validated. */
  concerns(name: string, result: CallToolResult): boolean {
    return this.#schemas.size > 0 && this.#schemas.has(name) && result.isError !== true;
  }

  async check(name: string, result: CallToolResult): Promise<CallToolResult> {
    if (result.structuredContent === undefined) {
      const message = `Tool "${name}" has an outputSchema and answered without structuredContent`;
      this.#warnings.report('structured-content-missing', message, name);
      return result;
    }
    const wrong = await this.#problemOf(name, result.structuredContent);
    if (wrong === undefined) return result;
    throw new PeerError('RESULT_INVALID', `The structured result of tool "${name}" breaks its outputSchema: ${wrong}`, {
      hint: 'Connect with checkOutput: false to accept its results without validation.',
    });
  }

  async #problemOf(name: string, value: unknown): Promise<string | undefined> {
    try {
      return (await compileJsonSchema(this.#schemas.get(name)!, this.#runBounded))(value);
    } catch (error) {
      this.#schemas.delete(name);
      const message = `The outputSchema of tool "${name}" cannot be used, so results are not checked: ${(error as Error).message}`;
      this.#warnings.report('output-schema-unusable', message, name);
      return undefined;
    }
  }
}
