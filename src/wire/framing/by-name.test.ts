import { describe, expect, it } from 'vitest';
import { framingByName, framingNames } from '../../entry/framing.ts';

describe('framings by name', () => {
  it.each(framingNames.map((name) => name.replace('<bytes>', '256')))('%s is the framing of that name', (name) => {
    expect(framingByName(name).name).toBe(name);
  });

  it.each([
    '',
    'lines',
    'Newline',
    'fixed-length',
    'fixed-length:',
    'fixed-length:0',
    'fixed-length:1e3',
    'constructor',
  ])('refuses the name %j, and names the valid ones', (name) => {
    expect(() => framingByName(name)).toThrow(
      expect.objectContaining({
        name: 'UsageError',
        code: 'INVALID_OPTION',
        message: expect.stringContaining('blank-lines'),
      }),
    );
  });

  it('refuses a size above any limit', () => {
    expect(() => framingByName('fixed-length:99999999999')).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});
