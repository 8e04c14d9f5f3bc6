import type { Patch } from './patch.ts'

/**
 * ssh2 begins to read a terminal's modes (RFC 4254 §8) at their second byte, and looks names up where
 * it should look up numbers: it finds none, or ends the connection. With this, `modes` is a Buffer,
 * which can be sent on as it is. The type of a terminal is sent with the length of its characters,
 * so it is read and written as one byte a character.
 */
export const terminalModes: Patch = [
  {
    file: 'protocol/handlers.misc.js',
    was: `          const term = bufferParser.readString(true);
`,
    is: `          const termBytes = bufferParser.readString();
          const term = termBytes && termBytes.latin1Slice();
`,
  },
  {
    file: 'protocol/handlers.misc.js',
    was: `            bufferParser.init(modesBinary, 1);
            let modes = {};
            while (bufferParser.avail()) {
              const opcode = bufferParser.readByte();
              if (opcode === TERMINAL_MODE.TTY_OP_END)
                break;
              const name = TERMINAL_MODE_BY_VALUE[opcode];
              const value = bufferParser.readUInt32BE();
              if (opcode === undefined
                  || name === undefined
                  || value === undefined) {
                modes = undefined;
                break;
              }
              modes[name] = value;
            }
            if (modes !== undefined)
              data = { term, cols, rows, width, height, modes };
`,
    is: `            data = { term, cols, rows, width, height, modes: modesBinary };
`,
  },
  {
    file: 'protocol/Protocol.js',
    was: 'packet.utf8Write(term, p += 4, termLen);',
    is: 'packet.latin1Write(term, p += 4, termLen);',
  },
]
