import type { Patch } from './patch.ts'

/**
 * ssh2 reads commands and the values of variables as UTF-8, which changes every byte that is none;
 * they are bytes (RFC 4254 §6.4, §6.5). With this, `command` and `val` are Buffers; what is sent
 * may be.
 */
export const commandBytes: Patch = [
  {
    file: 'protocol/handlers.misc.js',
    was: `            string    command
          */
          data = bufferParser.readString(true);`,
    is: `            string    command
          */
          data = bufferParser.readString();`,
  },
  {
    file: 'protocol/handlers.misc.js',
    was: 'const value = bufferParser.readString(true);',
    is: 'const value = bufferParser.readString();',
  },
]
