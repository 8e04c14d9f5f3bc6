import type { Patch } from './patch.ts'

/**
 * ssh2 inflates a compressed packet without a limit: 256 kB of zeros grow to 256 MB. The contents of
 * a packet are limited whether compressed or not (RFC 4253 §6.1, §6.2).
 */
export const compressedPackets: Patch = [
  {
    file: 'protocol/zlib.js',
    was: 'this._maxOutputLength = kMaxLength;',
    is: 'this._maxOutputLength = (mode === INFLATE ? 256 * 1024 : kMaxLength);',
  },
]
