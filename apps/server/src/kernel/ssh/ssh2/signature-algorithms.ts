import type { Patch } from './patch.ts'

/**
 * In the list of signatures that ssh2 says to verify (RFC 8308 §3.1) a comma is missing, so that two
 * of them are not in it; and the last two, which use SHA-1, are refused here.
 */
export const signatureAlgorithms: Patch = [
  {
    file: 'protocol/Protocol.js',
    was: `'ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521'
      + 'rsa-sha2-512,rsa-sha2-256,ssh-rsa,ssh-dss';`,
    is: `'ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,'
      + 'rsa-sha2-512,rsa-sha2-256';`,
  },
]
