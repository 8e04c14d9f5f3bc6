import type ssh2 from 'ssh2'

const GCM: ssh2.CipherAlgorithm[] = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com']
const CTR: ssh2.CipherAlgorithm[] = ['aes128-ctr', 'aes192-ctr', 'aes256-ctr']
const CHACHA: ssh2.CipherAlgorithm[] = ['chacha20-poly1305@openssh.com']

/**
 * Algorithms in order of preference. AES-GCM first, because processors support it; ChaCha20 last,
 * which is used with strict key exchange alone (`ssh2/chosen-ciphers.ts`). No CBC, and no SHA-1: RSA
 * keys sign with SHA-2.
 */
export const ALGORITHMS: ssh2.Algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group-exchange-sha256',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group18-sha512',
    'diffie-hellman-group14-sha256',
  ],
  cipher: [...GCM, ...CTR, ...CHACHA],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  // After the sign-in alone: nobody else may have anything inflated.
  compress: ['none', 'zlib@openssh.com'],
}

/** The ciphers for a client of which nothing is known. */
export const CIPHERS_FOR_ANYBODY: ssh2.CipherAlgorithm[] = [...GCM, ...CTR]

/**
 * The ciphers for a client that offers these: its own order would be followed, and OpenSSH's puts
 * AES-GCM behind others with half its speed here. So a client with AES-GCM gets nothing else, and a
 * client without AES gets ChaCha20.
 */
export function ciphersFor({ ciphers }: { ciphers: readonly string[] }): ssh2.CipherAlgorithm[] {
  return [GCM, CTR].find((family) => family.some((cipher) => ciphers.includes(cipher))) ?? CHACHA
}

/** The same with certificates, for servers whose authority may be known. */
export const CERTIFIED_HOST_KEYS = [
  'ssh-ed25519-cert-v01@openssh.com',
  'ecdsa-sha2-nistp256-cert-v01@openssh.com',
  'ecdsa-sha2-nistp384-cert-v01@openssh.com',
  'ecdsa-sha2-nistp521-cert-v01@openssh.com',
  'rsa-sha2-512-cert-v01@openssh.com',
  'rsa-sha2-256-cert-v01@openssh.com',
] as unknown as readonly ssh2.ServerHostKeyAlgorithm[]

/** Host key algorithms in order of preference, without SHA-1. */
export const HOST_KEY_ALGORITHMS: readonly ssh2.ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
]
