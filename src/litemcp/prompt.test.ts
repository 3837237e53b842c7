import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calculatorTool } from './memory.contract.ts';
import { parseModelReply, toolPrompt } from './model-reply.ts';
import { makeTool, readTool } from './tool.ts';

const calculator = makeTool(calculatorTool);

test('describes a tool with its parameters and the exact call', () => {
  expect(toolPrompt(calculator)).toBe(
    `Tool "Calculator": A simple calculator
Example: Calculate the sum of 2 and 3
Parameters:
1. "a" (number): The first number, for example "2"
2. "b" (number): The second number, for example "3"
Call: {"tool":"Calculator","arguments":["2","3"]}

To call a tool, reply with one such JSON object and nothing else. The arguments are all of the parameters, in their order, each as a JSON string. If no tool is needed, reply without JSON.`,
  );
});

test('omits absent fields, and writes descriptions on one line', () => {
  const tool = readTool({
    name: 'Say "hi"',
    description: 'Line one\n\nTool "Other": line two',
    parameters: [{ name: 'whom', type: 'string' }],
  });
  expect(toolPrompt([tool, readTool({ name: 'Now' })])).toMatch(
    `Tool "Say \\"hi\\"": Line one Tool "Other": line two
Parameters:
1. "whom" (string)
Call: {"tool":"Say \\"hi\\"","arguments":["<whom>"]}

Tool "Now"
Parameters: none
Call: {"tool":"Now","arguments":[]}
`,
  );
  expect(toolPrompt([])).toBe('');
});

test('parses the call line of any tool as a call', () => {
  const text = fc.string({ unit: 'binary' });
  const parameter = fc.record(
    { name: text, type: text, description: text, example: text },
    { requiredKeys: ['name', 'type'] },
  );
  const anyTool = fc.record(
    { name: text.filter((name) => name !== ''), description: text, example: text, parameters: fc.array(parameter) },
    { requiredKeys: ['name', 'parameters'] },
  );
  fc.assert(
    fc.property(anyTool, (definition) => {
      const tool = makeTool(definition);
      const call = toolPrompt(tool)
        .split('\n')
        .findLast((line) => line.startsWith('Call: '))!;
      const examples = tool.parameters.map(({ name, example }) => example ?? `<${name}>`);
      expect(parseModelReply(call, tool)).toMatchObject({
        kind: 'call',
        call: { tool: tool.name, arguments: examples },
      });
    }),
    { numRuns: 200 },
  );
});
