// A client of the tools `echo` and `usage`, over a function that calls tools.

export function toolCaller(callTool, close) {
  const call = async (name, input) => {
    const { content, isError } = await callTool(name, input);
    if (isError) throw new Error(`${name} answered with an error: ${content[0]?.text}`);
    return content[0].text;
  };
  return {
    echo: (text) => call('echo', { text }),
    serverUsage: async () => JSON.parse(await call('usage', {})),
    close,
  };
}
