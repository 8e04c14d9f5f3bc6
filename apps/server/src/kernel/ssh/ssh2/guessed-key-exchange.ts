import type { Patch } from './patch.ts'

/**
 * A client may guess the key exchange and send its first packet along, which the server must ignore
 * if the guess is wrong: if the first algorithms of both sides differ (RFC 4253 §7). ssh2 compares a
 * name with the first letter of another, so it ignores every guess, and waits for ever when it was
 * right, as Dropbear's are.
 */
export const guessedKeyExchange: Patch = [
  {
    file: 'protocol/kex.js',
    was: 'if (firstFollows && (!remote.kex.length || clientList[i] !== remote.kex[0])) {',
    is: `if (firstFollows
      && (clientList[0] !== serverList[0]
          || remote.serverHostKey[0] !== local.lists.serverHostKey.array[0])) {`,
  },
]
