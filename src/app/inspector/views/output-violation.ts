// Checks structured results against the output schema of their tool, as far as a recorded list has it. The schema comes from the server,
// so validation is aborted if it takes too long.

import { decodeText } from '../../../base/decode-text.ts';
import { isObject } from '../../../base/json-object.ts';
import { isNestedTooDeeply } from '../../../base/to-json.ts';
import { compileJsonSchema } from '../../../mcp/json-schema.ts';
import type { FlowEvent } from '../../../observe/flow/event.ts';
import { runBounded } from '../../../wire/process/run-bounded.ts';
import { recordedTool } from './recorded-offer.ts';
import type { InspectorView } from './view.ts';

/** Undefined if the event is not an answer to `tools/call`, or if its structured content fits. */
export async function outputViolation(view: InspectorView, event: FlowEvent): Promise<string | undefined> {
  if (event.kind !== 'frame' || event.direction !== 'fromServer' || event.cut) return undefined;
  const [exchange] = view.analysis.exchangesOf(event.seq);
  if (exchange?.method !== 'tools/call' || exchange.tool === undefined || exchange.outcome !== 'ok') return undefined;
  const schema = recordedTool(view, exchange.server, exchange.tool)?.outputSchema;
  if (!isObject(schema)) return undefined;
  const result = resultIn(decodeText(event.payload));
  // 2026-07-28: the result may be a question or a task instead.
  if (!result || (result.resultType !== undefined && result.resultType !== 'complete') || isObject(result.task)) {
    return undefined;
  }
  const { structuredContent } = result;
  if (structuredContent === undefined) {
    return `The tool "${exchange.tool}" has an output schema and answered without structured content`;
  }
  try {
    const wrong = (await compileJsonSchema(schema, runBounded))(structuredContent);
    return wrong && `The structured content violates the output schema of "${exchange.tool}": ${wrong}`;
  } catch (error) {
    return `The output schema of "${exchange.tool}" cannot be used: ${(error as Error).message}`;
  }
}

function resultIn(text: string): Record<string, unknown> | undefined {
  try {
    const message: unknown = JSON.parse(text);
    if (!isObject(message) || !isObject(message.result) || isNestedTooDeeply(message)) return undefined;
    return message.result;
  } catch {
    return undefined; // the description of the frame reports this
  }
}
