import type ssh2 from 'ssh2'

/**
 * Algorithms in order of preference. AES-GCM, because processors support it; neither ChaCha20 nor
 * CBC, since with them a server without strict key exchange is open to truncation by somebody in
 * between (CVE-2023-48795). No SHA-1: RSA keys sign with SHA-2.
 */
export const ALGORITHMS: ssh2.Algorithms = {
  kex: [
    // The same exchange by its older name first: ssh2 drops the packet that a client sends along with
    // its guess even when the guess is right (RFC 4253 §7), and waits for ever. So no guess is right.
    'curve25519-sha256@libssh.org',
    'curve25519-sha256',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group-exchange-sha256',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group18-sha512',
    'diffie-hellman-group14-sha256',
  ],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
}
/** Host key algorithms in order of preference, without SHA-1. */
export const HOST_KEY_ALGORITHMS: readonly ssh2.ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
]
