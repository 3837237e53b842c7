// A LiteMCP client: starts the server that is given as a command, shows its tool as a prompt, and makes the call that a
// model replied with.
//   node examples/litemcp/client.mjs python3 examples/litemcp/calculator.py

import { connectLiteMcp, parseModelReply, textOf, toolPrompt } from 'standpipe/litemcp';

const [command = 'python3', ...args] = process.argv.slice(2);
const client = await connectLiteMcp({ command, args });

console.log(toolPrompt(await client.info()));

// Arguments are given by position or by name; other values are converted to strings.
const byPosition = await client.call(['2', '3']);
const byName = await client.call({ a: 40, b: 2 }, { timeoutMs: 5_000 });
console.log('\n2 + 3 =', textOf(byPosition.response), '\n40 + 2 =', textOf(byName.response));

// A possible reply of a model to the prompt.
const reply = parseModelReply('Sure! {"tool": "Calculator", "arguments": {"a": 1, "b": 0.5}}', client.tool);
if (reply.kind === 'call') {
  const { response } = await client.call(reply.call.arguments);
  console.log(response.error ? 'The tool failed:' : 'The model gets:', textOf(response));
}

await client.close();
