// A LiteMCP server with one tool. Run it by hand:
//   printf '{"version":[1,0,0],"id":1,"type":"get","data":{}}\n\n\n' | node examples/litemcp/calculator.mjs

import { LiteMcpServer, serveLiteMcp } from 'standpipe/litemcp';

const calculator = new LiteMcpServer(
  {
    name: 'Calculator',
    description: 'A simple calculator',
    example: 'Calculate the sum of 2 and 3',
    parameters: [
      { name: 'a', type: 'number', description: 'The first number', example: '2' },
      { name: 'b', type: 'number', description: 'The second number', example: '3' },
    ],
  },
  ({ a, b }) => a + b, // a and b are numbers: the strings of the message were converted by their types
);

await serveLiteMcp(calculator);
