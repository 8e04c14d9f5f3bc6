import ssh2 from 'ssh2'

/**
 * A new ed25519 private key in OpenSSH's form. ssh2 writes about one in 250 in a way that it can't
 * read itself: these are thrown away.
 */
export function newPrivateKey(): string {
  for (;;) {
    const { private: text } = ssh2.utils.generateKeyPairSync('ed25519')
    if (!(ssh2.utils.parseKey(text) instanceof Error)) return text
  }
}
