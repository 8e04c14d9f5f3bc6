/** Values that are no message of any kind that carries JSON, as `data` of one. */
export const NONSENSE = [
  ...['', ' ', '{', '}', '[', 'null', 'true', 'false', '0', '-1', '1e999', '""', '"{}"', '[]', '[[]]', '[{}]'],
  ...['undefined', 'NaN', "{'run':1}", '{"run":}', '{}{}', '\0', '\ud800', '{"__proto__":'],
]
