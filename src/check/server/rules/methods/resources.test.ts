import { expect, test } from 'vitest';
import { templateProblem } from './resources.ts';

test.each([
  'file:///{path}',
  'file:///{+path}',
  "mem://it's/{id}/{name}",
  'db://{table}{?limit,offset}',
  'x://{a.b}{/list*}{#part:3}',
  'plain://no/expression',
  'name://%C3%A9/{caf%C3%A9}',
])('%s is a template', (template) => {
  expect(templateProblem(template)).toBeUndefined();
});

test.each([
  'a://{',
  'a://{id',
  'a://}',
  'a://{}',
  'a://{a b}',
  'a://{=x}',
  'a://{{x}}',
  'a://{x:0}',
  'a://x y',
  'a://<id>',
])('%s is not a template', (template) => {
  expect(templateProblem(template)).toBeDefined();
});
